#include "engines/ort/session.h"

#include <array>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "engines/common/bind.h"
#include "engines/ort/config_keys.h"
#include "engines/ort/providers.h"

namespace opscope::ort {
namespace {

// By ONNXTensorElementDataType.
constexpr std::array<std::string_view, 26> kDtypes = {"",
                                                      "float32",
                                                      "uint8",
                                                      "int8",
                                                      "uint16",
                                                      "int16",
                                                      "int32",
                                                      "int64",
                                                      "string",
                                                      "bool",
                                                      "float16",
                                                      "float64",
                                                      "uint32",
                                                      "uint64",
                                                      "complex64",
                                                      "complex128",
                                                      "bfloat16",
                                                      "float8e4m3fn",
                                                      "float8e4m3fnuz",
                                                      "float8e5m2",
                                                      "float8e5m2fnuz",
                                                      "uint4",
                                                      "int4",
                                                      "float4e2m1",
                                                      "uint2",
                                                      "int2"};
// By ONNXType.
constexpr std::array<std::string_view, 7> kKinds = {"unknown type", "tensor", "sequence", "map",
                                                    "opaque type",  "sparse", "optional"};

struct Level {
  std::string_view name;
  int value;
};
constexpr Level kLevels[] = {
    {"none", kLevelNone}, {"basic", kLevelBasic}, {"extended", kLevelExtended}, {"all", kLevelAll}};

Result<int> LevelOf(std::string_view name) {
  for (const Level& level : kLevels)
    if (level.name == name) return level.value;
  return Error{"option", "no optimisation level '" + std::string(name) + "'", ""};
}

// Settings of ours that are session entries, then the user's, which may overrule them.
std::vector<child::KeyValue> ConfigEntries(const child::LoadRequest& request) {
  const std::string spin = request.spinning ? "1" : "0";
  std::vector<child::KeyValue> out = {{"session.intra_op.allow_spinning", spin},
                                      {"session.inter_op.allow_spinning", spin}};
  if (!request.optimized_model.empty()) {
    // Weights beside the graph: a protobuf ends at 2 GB.
    const std::size_t slash = request.optimized_model.rfind('/');
    const std::string file = slash == std::string::npos ? request.optimized_model
                                                        : request.optimized_model.substr(slash + 1);
    out.push_back({"session.optimized_model_external_initializers_file_name", file + ".data"});
    out.push_back({"session.optimized_model_external_initializers_min_size_in_bytes", "1024"});
  }
  out.insert(out.end(), request.config.begin(), request.config.end());
  return out;
}

// Type, shape and symbols of a tensor.
Result<void> DescribeTensor(const Api& api, const TensorInfo* info, child::Value& out) {
  int type = 0;
  std::size_t rank = 0;
  TRY(api.Call<GetTensorElementType>(info, &type));
  TRY(api.Call<GetDimensionsCount>(info, &rank));
  std::vector<std::int64_t> sizes(rank);
  std::vector<const char*> symbols(rank, "");
  TRY(api.Call<GetDimensions>(info, sizes.data(), rank));
  TRY(api.Call<GetSymbolicDimensions>(info, symbols.data(), rank));
  out.dtype = DtypeOf(type);
  for (std::size_t i = 0; i < rank; ++i) {
    child::Dim dim;
    if (sizes[i] >= 0) {
      dim.size = sizes[i];
    } else {
      dim.symbol = symbols[i] ? symbols[i] : "";
    }
    out.shape.push_back(std::move(dim));
  }
  return {};
}

Result<child::Value> DescribeType(const Api& api, const TypeInfo* type) {
  child::Value out;
  int kind = 0;
  TRY(api.Call<GetOnnxTypeFromTypeInfo>(type, &kind));
  const bool known = kind >= 0 && static_cast<std::size_t>(kind) < kKinds.size();
  out.kind = kKinds[known ? static_cast<std::size_t>(kind) : 0];
  const TensorInfo* tensor = nullptr;
  TRY(api.Call<CastTypeInfoToTensorInfo>(type, &tensor));
  if (out.kind == "tensor" && tensor) TRY(DescribeTensor(api, tensor, out));
  return out;
}

// One list of the session: CountEntry, TypeEntry and NameEntry are those of inputs or of outputs.
template <class CountEntry, class TypeEntry, class NameEntry>
Result<std::vector<child::Value>> DescribeAll(const Api& api, const Session* session,
                                              Allocator* allocator) {
  std::size_t count = 0;
  TRY(api.Call<CountEntry>(session, &count));
  std::vector<child::Value> out;
  for (std::size_t i = 0; i < count; ++i) {
    TypeInfo* type = nullptr;
    TRY(api.Call<TypeEntry>(session, i, &type));
    auto value = DescribeType(api, type);
    api.Raw<ReleaseTypeInfo>(type);
    TRY_ASSIGN(child::Value described, std::move(value));
    char* name = nullptr;
    TRY(api.Call<NameEntry>(session, i, allocator, &name));
    described.name = name;
    TRY(api.Call<AllocatorFree>(allocator, static_cast<void*>(name)));
    out.push_back(std::move(described));
  }
  return out;
}

}  // namespace

std::string_view DtypeOf(int element_type) {
  const bool known = element_type > 0 && static_cast<std::size_t>(element_type) < kDtypes.size();
  return known ? kDtypes[static_cast<std::size_t>(element_type)] : std::string_view();
}

int ElementTypeOf(std::string_view dtype) {
  for (std::size_t i = 1; i < kDtypes.size(); ++i)
    if (kDtypes[i] == dtype) return static_cast<int>(i);
  return 0;
}

Model::~Model() {
  ReleaseOutputs();
  for (Value* value : inputs_) api_.Raw<ReleaseValue>(value);
  if (session_) api_.Raw<ReleaseSession>(session_);
  if (options_) api_.Raw<ReleaseSessionOptions>(options_);
  if (env_) api_.Raw<ReleaseEnv>(env_);
}

Result<void> Model::Load(const child::LoadRequest& request) {
  TRY(api_.Call<CreateEnv>(static_cast<int>(kLogError), "opscope", &env_));
  TRY(api_.Call<CreateSessionOptions>(&options_));
  TRY(SetOptions(request));
  TRY_ASSIGN(description_.providers, AppendProviders(api_, env_, options_, request));
  TRY(api_.Call<CreateSession>(static_cast<const Env*>(env_), request.model.c_str(),
                               static_cast<const SessionOptions*>(options_), &session_));
  TRY(api_.Call<GetAllocatorWithDefaultOptions>(&allocator_));
  TRY(Describe());
  return BindInputs(request);
}

Result<void> Model::SetOptions(const child::LoadRequest& request) {
  TRY_ASSIGN(const int level, LevelOf(request.level));
  const int mode = request.parallel ? kParallel : kSequential;
  TRY(api_.Call<SetSessionLogSeverityLevel>(options_, static_cast<int>(kLogError)));
  TRY(api_.Call<SetSessionGraphOptimizationLevel>(options_, level));
  TRY(api_.Call<SetIntraOpNumThreads>(options_, static_cast<int>(request.threads)));
  TRY(api_.Call<SetInterOpNumThreads>(options_, static_cast<int>(request.inter_op_threads)));
  TRY(api_.Call<SetSessionExecutionMode>(options_, mode));
  if (!request.memory_pattern) TRY(api_.Call<DisableMemPattern>(options_));
  if (!request.arena) TRY(api_.Call<DisableCpuMemArena>(options_));
  if (!request.profile_prefix.empty())
    TRY(api_.Call<EnableProfiling>(options_, request.profile_prefix.c_str()));
  if (!request.optimized_model.empty())
    TRY(api_.Call<SetOptimizedModelFilePath>(options_, request.optimized_model.c_str()));
  for (const child::KeyValue& entry : request.config) TRY(CheckConfigKey(entry.key));
  for (const child::KeyValue& entry : ConfigEntries(request))
    TRY(api_.Call<AddSessionConfigEntry>(options_, entry.key.c_str(), entry.value.c_str()));
  for (const child::FreeDim& dim : request.free_dims)
    TRY(api_.Call<AddFreeDimensionOverrideByName>(options_, dim.name.c_str(), dim.size));
  for (const std::string& path : request.custom_ops) {
    void* handle = nullptr;  // the library stays loaded
    const std::string absolute = std::filesystem::absolute(path).string();
    TRY(api_.Call<RegisterCustomOpsLibrary>(options_, absolute.c_str(), &handle));
  }
  return {};
}

child::Description DescribeLibrary(const Library& library) {
  child::Description out;
  out.name = "onnxruntime";
  out.version = library.version;
  out.library = library.path;
  if (library.api.Has<GetBuildInfoString>()) out.build = library.api.Raw<GetBuildInfoString>();
  out.available_providers = AvailableProviders(library.api);
  return out;
}

Result<void> Model::Describe() {
  const std::vector<std::string> providers = std::move(description_.providers);
  const std::vector<std::string> notes = std::move(description_.notes);
  description_ = DescribeLibrary(library_);
  description_.providers = providers;
  description_.notes = notes;
  const Session* session = session_;
  TRY_ASSIGN(description_.inputs,
             (DescribeAll<SessionGetInputCount, SessionGetInputTypeInfo, SessionGetInputName>(
                 api_, session, allocator_)));
  TRY_ASSIGN(description_.outputs,
             (DescribeAll<SessionGetOutputCount, SessionGetOutputTypeInfo, SessionGetOutputName>(
                 api_, session, allocator_)));
  for (const child::Value& input : description_.inputs) input_names_.push_back(input.name.c_str());
  for (const child::Value& output : description_.outputs)
    output_names_.push_back(output.name.c_str());
  outputs_.assign(output_names_.size(), nullptr);
  return {};
}

Result<void> Model::BindInputs(const child::LoadRequest& request) {
  TRY_ASSIGN(const std::vector<child::Array> arrays,
             child::BindInputs(description_.inputs, request));
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    TRY_ASSIGN(Value * value, MakeValue(description_.inputs[i], arrays[i]));
    inputs_.push_back(value);
  }
  return {};
}

// The runtime's own memory, aligned as it likes it.
Result<Value*> Model::MakeValue(const child::Value& input, const child::Array& array) {
  Value* value = nullptr;
  TRY(api_.Call<CreateTensorAsOrtValue>(allocator_, array.shape.data(), array.shape.size(),
                                        ElementTypeOf(input.dtype), &value));
  if (input.dtype == "string") {
    std::vector<const char*> texts;
    for (const std::string& text : array.strings) texts.push_back(text.c_str());
    TRY(api_.Call<FillStringTensor>(value, static_cast<const char* const*>(texts.data()),
                                    texts.size()));
    return value;
  }
  void* data = nullptr;
  TRY(api_.Call<GetTensorMutableData>(value, &data));
  if (!array.bytes.empty()) std::memcpy(data, array.bytes.data(), array.bytes.size());
  return value;
}

void Model::ReleaseOutputs() {
  for (Value*& value : outputs_) {
    if (value) api_.Raw<ReleaseValue>(value);
    value = nullptr;
  }
}

Result<void> Model::Run() {
  return api_.Call<ort::Run>(session_, static_cast<const RunOptions*>(nullptr),
                             static_cast<const char* const*>(input_names_.data()),
                             static_cast<const Value* const*>(inputs_.data()), inputs_.size(),
                             static_cast<const char* const*>(output_names_.data()),
                             output_names_.size(), outputs_.data());
}

Result<child::Profile> Model::EndProfile() {
  child::Profile out;
  std::uint64_t start = 0;
  TRY(api_.Call<SessionGetProfilingStartTimeNs>(static_cast<const Session*>(session_), &start));
  out.start_ns = static_cast<std::int64_t>(start);
  char* path = nullptr;
  TRY(api_.Call<SessionEndProfiling>(session_, allocator_, &path));
  out.path = path;
  TRY(api_.Call<AllocatorFree>(allocator_, static_cast<void*>(path)));
  if (out.path.empty()) return Error{"refused", "this session records no profile", ""};
  return out;
}

Result<std::vector<child::Output>> Model::Outputs() const {
  std::vector<child::Output> out;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    child::Output output{description_.outputs[i].name, description_.outputs[i].dtype, {}};
    int is_tensor = 0;
    const Value* value = outputs_[i];
    if (value) TRY(api_.Call<IsTensor>(value, &is_tensor));
    if (is_tensor != 0) {
      TensorInfo* info = nullptr;
      TRY(api_.Call<GetTensorTypeAndShape>(value, &info));
      child::Value described;
      const auto result = DescribeTensor(api_, info, described);
      api_.Raw<ReleaseTensorTypeAndShapeInfo>(info);
      TRY(result);
      output.dtype = described.dtype;
      output.shape.emplace();
      for (const child::Dim& dim : described.shape) output.shape->push_back(dim.size.value_or(0));
    }
    out.push_back(std::move(output));
  }
  return out;
}

}  // namespace opscope::ort

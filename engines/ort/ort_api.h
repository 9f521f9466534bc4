// The part of ONNX Runtime's C interface that we use, by position.
//
// OrtGetApiBase() hands out a table of function pointers. The table only grows: a function keeps
// its position for ever, and API version n (of release 1.n) says how long the table is. So no
// header of the runtime is needed, and one binary runs every release from 1.10 on. The positions
// and the versions are facts of the published headers; tests/unit/engine_ort_api_test.cpp checks
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace opscope::ort {

// Opaque objects of the runtime.
struct Status;
struct Env;
struct Session;
struct SessionOptions;
struct RunOptions;
struct Value;
struct TypeInfo;
struct TensorInfo;
struct Allocator;
struct EpDevice;
struct CudaOptions;
struct TensorRtOptions;

struct ApiBase {
  const void* (*GetApi)(std::uint32_t version);
  const char* (*GetVersionString)();
};

// A function at `position`, there since API version `since`.
template <int position, int since, class Signature>
struct Entry {
  static constexpr int kPosition = position;
  static constexpr int kSince = since;
  using Function = Signature*;
};

// X(name in the header, position, since, signature)
#define OPSCOPE_ORT_ENTRIES(X)                                                                     \
  X(GetErrorMessage, 2, 1, const char*(const Status*))                                             \
  X(CreateEnv, 3, 1, Status*(int level, const char* id, Env**))                                    \
  X(CreateSession, 7, 1, Status*(const Env*, const char* path, const SessionOptions*, Session**))  \
  X(Run, 9, 1,                                                                                     \
    Status*(Session*, const RunOptions*, const char* const* input_names,                           \
            const Value* const* inputs, std::size_t, const char* const* output_names, std::size_t, \
            Value** outputs))                                                                      \
  X(CreateSessionOptions, 10, 1, Status*(SessionOptions**))                                        \
  X(SetOptimizedModelFilePath, 11, 1, Status*(SessionOptions*, const char*))                       \
  X(SetSessionExecutionMode, 13, 1, Status*(SessionOptions*, int mode))                            \
  X(EnableProfiling, 14, 1, Status*(SessionOptions*, const char* prefix))                          \
  X(DisableMemPattern, 17, 1, Status*(SessionOptions*))                                            \
  X(DisableCpuMemArena, 19, 1, Status*(SessionOptions*))                                           \
  X(SetSessionLogSeverityLevel, 22, 1, Status*(SessionOptions*, int level))                        \
  X(SetSessionGraphOptimizationLevel, 23, 1, Status*(SessionOptions*, int level))                  \
  X(SetIntraOpNumThreads, 24, 1, Status*(SessionOptions*, int))                                    \
  X(SetInterOpNumThreads, 25, 1, Status*(SessionOptions*, int))                                    \
  X(RegisterCustomOpsLibrary, 29, 1, Status*(SessionOptions*, const char* path, void** handle))    \
  X(SessionGetInputCount, 30, 1, Status*(const Session*, std::size_t*))                            \
  X(SessionGetOutputCount, 31, 1, Status*(const Session*, std::size_t*))                           \
  X(SessionGetInputTypeInfo, 33, 1, Status*(const Session*, std::size_t, TypeInfo**))              \
  X(SessionGetOutputTypeInfo, 34, 1, Status*(const Session*, std::size_t, TypeInfo**))             \
  X(SessionGetInputName, 36, 1, Status*(const Session*, std::size_t, Allocator*, char**))          \
  X(SessionGetOutputName, 37, 1, Status*(const Session*, std::size_t, Allocator*, char**))         \
  X(CreateTensorAsOrtValue, 48, 1,                                                                 \
    Status*(Allocator*, const std::int64_t* shape, std::size_t rank, int type, Value**))           \
  X(IsTensor, 50, 1, Status*(const Value*, int*))                                                  \
  X(GetTensorMutableData, 51, 1, Status*(Value*, void**))                                          \
  X(FillStringTensor, 52, 1, Status*(Value*, const char* const*, std::size_t))                     \
  X(CastTypeInfoToTensorInfo, 55, 1, Status*(const TypeInfo*, const TensorInfo**))                 \
  X(GetOnnxTypeFromTypeInfo, 56, 1, Status*(const TypeInfo*, int*))                                \
  X(GetTensorElementType, 60, 1, Status*(const TensorInfo*, int*))                                 \
  X(GetDimensionsCount, 61, 1, Status*(const TensorInfo*, std::size_t*))                           \
  X(GetDimensions, 62, 1, Status*(const TensorInfo*, std::int64_t*, std::size_t))                  \
  X(GetSymbolicDimensions, 63, 1, Status*(const TensorInfo*, const char**, std::size_t))           \
  X(GetTensorTypeAndShape, 65, 1, Status*(const Value*, TensorInfo**))                             \
  X(AllocatorFree, 76, 1, Status*(Allocator*, void*))                                              \
  X(GetAllocatorWithDefaultOptions, 78, 1, Status*(Allocator**))                                   \
  X(ReleaseEnv, 92, 1, void(Env*))                                                                 \
  X(ReleaseStatus, 93, 1, void(Status*))                                                           \
  X(ReleaseSession, 95, 1, void(Session*))                                                         \
  X(ReleaseValue, 96, 1, void(Value*))                                                             \
  X(ReleaseTypeInfo, 98, 1, void(TypeInfo*))                                                       \
  X(ReleaseTensorTypeAndShapeInfo, 99, 1, void(TensorInfo*))                                       \
  X(ReleaseSessionOptions, 100, 1, void(SessionOptions*))                                          \
  X(SessionEndProfiling, 110, 1, Status*(Session*, Allocator*, char**))                            \
  X(AddFreeDimensionOverrideByName, 124, 3,                                                        \
    Status*(SessionOptions*, const char* name, std::int64_t))                                      \
  X(GetAvailableProviders, 125, 4, Status*(char***, int*))                                         \
  X(ReleaseAvailableProviders, 126, 4, Status*(char**, int))                                       \
  X(AddSessionConfigEntry, 130, 5, Status*(SessionOptions*, const char* key, const char* value))   \
  X(SessionGetProfilingStartTimeNs, 146, 5, Status*(const Session*, std::uint64_t*))               \
  X(SessionOptionsAppendExecutionProvider_TensorRT_V2, 170, 10,                                    \
    Status*(SessionOptions*, const TensorRtOptions*))                                              \
  X(CreateTensorRTProviderOptions, 171, 10, Status*(TensorRtOptions**))                            \
  X(UpdateTensorRTProviderOptions, 172, 10,                                                        \
    Status*(TensorRtOptions*, const char* const* keys, const char* const* values, std::size_t))    \
  X(ReleaseTensorRTProviderOptions, 174, 10, void(TensorRtOptions*))                               \
  X(SessionOptionsAppendExecutionProvider_CUDA_V2, 204, 11,                                        \
    Status*(SessionOptions*, const CudaOptions*))                                                  \
  X(CreateCUDAProviderOptions, 205, 11, Status*(CudaOptions**))                                    \
  X(UpdateCUDAProviderOptions, 206, 11,                                                            \
    Status*(CudaOptions*, const char* const* keys, const char* const* values, std::size_t))        \
  X(ReleaseCUDAProviderOptions, 208, 11, void(CudaOptions*))                                       \
  X(SessionOptionsAppendExecutionProvider, 216, 12,                                                \
    Status*(SessionOptions*, const char* name, const char* const* keys, const char* const* values, \
            std::size_t))                                                                          \
  X(GetBuildInfoString, 254, 15, const char*())                                                    \
  X(RegisterExecutionProviderLibrary, 301, 22, Status*(Env*, const char* name, const char* path))  \
  X(GetEpDevices, 303, 22, Status*(const Env*, const EpDevice* const**, std::size_t*))             \
  X(SessionOptionsAppendExecutionProvider_V2, 304, 22,                                             \
    Status*(SessionOptions*, Env*, const EpDevice* const*, std::size_t, const char* const* keys,   \
            const char* const* values, std::size_t))                                               \
  X(EpDevice_EpName, 312, 22, const char*(const EpDevice*))

#define OPSCOPE_ORT_ENTRY(name, position, since, ...) \
  using name = Entry<position, since, __VA_ARGS__>;
OPSCOPE_ORT_ENTRIES(OPSCOPE_ORT_ENTRY)
#undef OPSCOPE_ORT_ENTRY

// The same list as data.
struct EntryInfo {
  std::string_view name;
  int position;
  int since;
};
inline constexpr EntryInfo kEntries[] = {
#define OPSCOPE_ORT_ROW(name, position, since, ...) {#name, position, since},
    OPSCOPE_ORT_ENTRIES(OPSCOPE_ORT_ROW)
#undef OPSCOPE_ORT_ROW
};

// Numbers of the interface.
enum : int { kLogError = 3 };
enum : int { kSequential = 0, kParallel = 1 };
enum : int { kLevelNone = 0, kLevelBasic = 1, kLevelExtended = 2, kLevelAll = 99 };

// The table of a loaded library.
class Api {
 public:
  Api() = default;
  Api(const void* table, int version)
      : table_(static_cast<void* const*>(table)), version_(version) {}

  int version() const { return version_; }
  template <class E>
  bool Has() const {
    return version_ >= E::kSince;
  }
  // Calls an entry that exists in every release we accept, or that was looked for with Has().
  template <class E, class... Arguments>
  auto Raw(Arguments... arguments) const {
    CHECK(Has<E>());
    return reinterpret_cast<typename E::Function>(table_[E::kPosition])(arguments...);
  }
  // The same for the entries that return a Status: its message becomes an Error. An entry above the
  // library's version is an Error as well and is not called.
  template <class E, class... Arguments>
  Result<void> Call(Arguments... arguments) const {
    if (!Has<E>())
      return Error{"refused",
                   "this needs ONNX Runtime 1." + std::to_string(E::kSince) +
                       " or newer; the library is 1." + std::to_string(version_),
                   ""};
    Status* status = Raw<E>(arguments...);
    if (!status) return {};
    Error error{"refused", Raw<GetErrorMessage>(static_cast<const Status*>(status)), ""};
    Raw<ReleaseStatus>(status);
    return error;
  }

 private:
  void* const* table_ = nullptr;
  int version_ = 0;
};

}  // namespace opscope::ort

// The table of formats that are told apart and not read: marks in the content first, names only
// where a format has no mark.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

#include "model/formats/foreign.h"

namespace opscope {

namespace {

using Look = FileLook;

bool At(const Look& look, std::size_t offset, std::string_view bytes) {
  return look.prefix.size() >= offset + bytes.size() &&
         look.prefix.substr(offset, bytes.size()) == bytes;
}
bool Holds(const Look& look, std::string_view text) {
  return look.prefix.find(text) != std::string_view::npos;
}
bool Named(const Look& look, std::string_view ending) { return look.name.ends_with(ending); }

// The text behind blanks and a byte-order mark.
std::string_view Text(const Look& look) {
  std::string_view text = look.prefix;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? std::string_view() : text.substr(at);
}
bool IsBinary(const Look& look) {
  const std::string_view start = look.prefix.substr(0, 64);
  return std::any_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
}

// A protobuf field of bytes at the front, taken off; nullopt when there is none with this tag.
std::optional<std::string_view> TakeField(std::string_view& bytes, char tag) {
  if (bytes.empty() || bytes[0] != tag) return std::nullopt;
  std::uint64_t length = 0;
  std::size_t at = 1;
  for (unsigned shift = 0; at < bytes.size() && shift < 35; shift += 7, ++at) {
    length |= std::uint64_t{static_cast<unsigned char>(bytes[at]) & 0x7FU} << shift;
    if ((bytes[at] & '\x80') == 0) break;
  }
  if (at >= bytes.size()) return std::nullopt;
  ++at;
  const std::string_view field = bytes.substr(at, static_cast<std::size_t>(length));
  bytes.remove_prefix(std::min<std::size_t>(bytes.size(), at + field.size()));
  return field;
}
bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != '\x7f';
  });
}

bool IsZip(const Look& look) { return At(look, 0, "PK\x03\x04"); }

// NodeDef: name (1), op (2): "Placeholder", "Const".
bool IsTfGraph(const Look& look) {
  std::string_view bytes = look.prefix;
  auto node = TakeField(bytes, '\x0a');
  if (!node) return false;
  const auto name = TakeField(*node, '\x0a');
  const auto op = TakeField(*node, '\x12');
  return name && op && IsName(*name) && IsName(*op) &&
         std::isupper(static_cast<unsigned char>((*op)[0])) != 0;
}
// saved_model_schema_version (1) = 1, then meta graphs (2) that begin with meta information (1).
bool IsSavedModel(const Look& look) {
  std::string_view bytes = look.prefix;
  if (!bytes.starts_with("\x08\x01")) return false;
  bytes.remove_prefix(2);
  auto graph = TakeField(bytes, '\x12');
  return graph && TakeField(*graph, '\x0a').has_value() &&
         (Holds(look, "serve") || Holds(look, "Placeholder") || Holds(look, "VarHandleOp") ||
          Named(look, "saved_model.pb"));
}
bool IsTfText(const Look& look) {
  const std::string_view text = Text(look);
  return text.starts_with("node {") && text.find("op:") != std::string_view::npos &&
         text.find("op_type:") == std::string_view::npos;
}
bool IsTfCheckpoint(const Look& look) {
  return Text(look).starts_with("model_checkpoint_path:") ||
         (IsBinary(look) && (Named(look, ".ckpt.index") || Named(look, ".ckpt.meta") ||
                             look.name.find(".ckpt.data-") != std::string_view::npos ||
                             look.name.find(".data-00000-of-") != std::string_view::npos));
}
bool IsTfJs(const Look& look) {
  return Text(look).starts_with("{") && Holds(look, "\"modelTopology\"");
}
bool IsKeras(const Look& look) {
  return IsZip(look) && (Holds(look, "model.weights.h5") || Named(look, ".keras"));
}
bool IsHdf5(const Look& look) { return At(look, 0, "\x89HDF"); }
bool IsNpz(const Look& look) { return IsZip(look) && Holds(look, ".npy"); }
bool IsTorchMobile(const Look& look) { return IsZip(look) && Holds(look, "bytecode.pkl"); }
// Protocols 2 to 5 of Python's pickle; the magic number of torch.save stands in the first pickle.
bool IsPickle(const Look& look) {
  return At(look, 0, "\x80") && look.prefix.size() > 1 && look.prefix[1] >= 2 &&
         look.prefix[1] <= 5;
}
bool IsExecuTorch(const Look& look) {
  return At(look, 4, "ET") && look.prefix.size() > 7 && look.prefix[6] >= '0' &&
         look.prefix[6] <= '9';
}
bool IsOrt(const Look& look) { return At(look, 4, "ORTM"); }
bool IsEngine(const Look& look) {
  return At(look, 0, "ftrt") || At(look, 0, "ptrt") || At(look, 0, "trtf") ||
         (IsBinary(look) && (Named(look, ".engine") || Named(look, ".plan")));
}
bool IsUff(const Look& look) {
  return IsBinary(look) && (Holds(look, "tensorflow_extension") || Named(look, ".uff"));
}
// NetParameter: name (1), then layers (100, or 2 in the first version).
bool IsCaffe(const Look& look) {
  std::string_view bytes = look.prefix;
  const auto name = TakeField(bytes, '\x0a');
  if (!name || !IsName(*name)) return false;
  if (bytes.starts_with("\xa2\x06")) return true;
  const auto layer = TakeField(bytes, '\x12');
  return layer && !layer->empty() &&
         ((*layer)[0] == '\x12' || (*layer)[0] == '\x1a' || (*layer)[0] == '\x22');
}
bool IsCaffeText(const Look& look) {
  const std::string_view text = Text(look);
  const bool layers = Holds(look, "layer {") || Holds(look, "layers {") || Holds(look, "layer{");
  return layers && Holds(look, "bottom:") && !text.starts_with("{");
}
// ProgramDesc: a block (1) with index (1) 0 and parent (2).
bool IsPaddleProgram(const Look& look) {
  std::string_view bytes = look.prefix;
  const auto block = TakeField(bytes, '\x0a');
  if (block && block->starts_with(std::string_view("\x08\x00\x10", 3))) return true;
  return Text(look).starts_with("{") && Holds(look, "\"magic\":\"pir\"");
}
// Versions and level of detail 0, then the size of a description that begins with a type.
bool IsPaddleParameters(const Look& look) {
  return look.prefix.size() > 21 &&
         At(look, 0, std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16)) &&
         look.prefix[16] != 0 && look.prefix[20] == '\x08';
}
bool IsPaddleLite(const Look& look) {
  return IsBinary(look) && Named(look, ".nb") && look.prefix.size() > 2 && look.prefix[1] == 0;
}
// A FlatBuffer without a mark.
bool IsMnn(const Look& look) {
  return Named(look, ".mnn") && look.prefix.size() > 8 && look.prefix[2] == 0 &&
         look.prefix[3] == 0;
}
bool IsRknn(const Look& look) { return At(look, 0, "RKNN"); }
// Zip with a model and its parameters; newer ones are FlatBuffers behind D5 0A and a version.
bool IsDlc(const Look& look) {
  const bool container = At(look, 0, "\xd5\x0a") && look.prefix.size() > 3 && look.prefix[3] == 0;
  return container || (IsZip(look) && (Holds(look, "dlc.metadata") || Named(look, ".dlc")));
}
bool IsHef(const Look& look) { return At(look, 0, "\x01HEF"); }
bool IsOm(const Look& look) { return At(look, 0, "IMOD"); }
bool IsKmodel(const Look& look) { return At(look, 0, "LDMK"); }
bool IsTengine(const Look& look) { return IsBinary(look) && Named(look, ".tmfile"); }
bool IsDarknet(const Look& look) {
  const std::string_view text = Text(look);
  return text.starts_with("[net]") || text.starts_with("[network]");
}
bool IsMxnet(const Look& look) {
  return Text(look).starts_with("{") && Holds(look, "\"nodes\"") && Holds(look, "\"op\": \"null\"");
}
bool IsGgml(const Look& look) {
  return At(look, 0, "lmgg") || At(look, 0, "fmgg") || At(look, 0, "tjgg") || At(look, 0, "algg");
}

constexpr std::string_view kTf2Onnx = "convert it with tf2onnx";

// What stands first wins: zips with a mark before those without.
constexpr std::array kForeignFormats = {

    ForeignFormat{"ort", "model in ONNX Runtime's own ORT format", ".ort",
                  "give the .onnx file it was made from", IsOrt},
    ForeignFormat{
        "engine", "TensorRT engine", ".engine .plan",
        "shows nothing from outside; give its layer information (trtexec --loadEngine=FILE "
        "--exportLayerInfo=layers.json) or the ONNX file it was built from",
        IsEngine},
    ForeignFormat{"executorch", "ExecuTorch program", ".pte",
                  "give the ExportedProgram it was made from (.pt2), or export the model with "
                  "torch.onnx.export",
                  IsExecuTorch},
    ForeignFormat{"keras", "Keras model", ".keras",
                  "keras.saving.load_model, then model.export(…, format=\"onnx\")", IsKeras},
    ForeignFormat{"npz", "NumPy archive", ".npz",
                  "holds arrays, not a model; inputs are given with --inputs", IsNpz},
    ForeignFormat{"torch-mobile", "PyTorch Lite model", ".ptl",
                  "torch.onnx.export of the model it was made from", IsTorchMobile},
    ForeignFormat{
        "dlc", "Qualcomm DLC", ".dlc",
        "give the ONNX or TFLite file it was converted from; qairt-dlc-info lists its layers",
        IsDlc},
    ForeignFormat{"pickle", "Python pickle, a PyTorch file of before 1.6 perhaps",
                  ".pt .pth .pkl .bin",
                  "load it in PyTorch and save it again, which writes a zip file that is read, or "
                  "export it with torch.onnx.export",
                  IsPickle},
    ForeignFormat{"hdf5", "HDF5 file, a Keras model perhaps", ".h5 .hdf5", kTf2Onnx, IsHdf5},
    ForeignFormat{"tf-saved-model", "TensorFlow SavedModel", "saved_model.pb",
                  "python -m tf2onnx.convert --saved-model FOLDER --output m.onnx", IsSavedModel},
    ForeignFormat{"paddle", "Paddle program", ".pdmodel .json",
                  "paddle2onnx --model_dir FOLDER --model_filename FILE --save_file m.onnx",
                  IsPaddleProgram},
    ForeignFormat{
        "tf-graph", "TensorFlow graph", ".pb",
        "python -m tf2onnx.convert --graphdef FILE --inputs … --outputs … --output m.onnx",
        IsTfGraph},
    ForeignFormat{"tf-text", "TensorFlow graph as text", ".pbtxt",
                  "write it as a binary GraphDef, then tf2onnx", IsTfText},
    ForeignFormat{"tf-checkpoint", "TensorFlow checkpoint", ".ckpt.* checkpoint",
                  "holds variables; export a SavedModel, then tf2onnx", IsTfCheckpoint},
    ForeignFormat{"tfjs", "TensorFlow.js model", "model.json",
                  "tensorflowjs_converter to a SavedModel, then tf2onnx", IsTfJs},
    ForeignFormat{"paddle-params", "Paddle parameters", ".pdiparams",
                  "holds weights; convert the .pdmodel beside it with paddle2onnx",
                  IsPaddleParameters},
    ForeignFormat{"paddle-lite", "Paddle Lite model", ".nb",
                  "give the Paddle model it was made from, by way of paddle2onnx", IsPaddleLite},
    ForeignFormat{"caffe", "Caffe model", ".caffemodel",
                  "convert it with its .prototxt to ONNX (caffe2onnx), or to OpenVINO IR", IsCaffe},
    ForeignFormat{"caffe-text", "Caffe network as text", ".prototxt",
                  "convert it with its .caffemodel to ONNX (caffe2onnx), or to OpenVINO IR",
                  IsCaffeText},
    ForeignFormat{"uff", "UFF graph of TensorRT", ".uff",
                  "UFF was withdrawn; convert the TensorFlow graph with tf2onnx", IsUff},
    ForeignFormat{
        "mnn", "MNN model", ".mnn",
        "give the ONNX file it was made from; MNNConvert -f MNN --JsonFile shows its layers",
        IsMnn},
    ForeignFormat{"rknn", "RKNN model", ".rknn",
                  "give the ONNX file it was built from; a profile comes from rknn.eval_perf",
                  IsRknn},
    ForeignFormat{"hef", "Hailo executable", ".hef",
                  "give the ONNX or TFLite file it was compiled from", IsHef},
    ForeignFormat{
        "om", "Ascend offline model", ".om",
        "give the ONNX file it was built from; atc --mode=1 --om=FILE --json=m.json lists it",
        IsOm},
    ForeignFormat{"kmodel", "nncase model", ".kmodel",
                  "give the ONNX or TFLite file it was compiled from", IsKmodel},
    ForeignFormat{"tengine", "Tengine model", ".tmfile", "give the ONNX file it was converted from",
                  IsTengine},
    ForeignFormat{"mxnet", "MXNet symbol", ".json", "export it with mxnet.onnx.export_model",
                  IsMxnet},
    ForeignFormat{"darknet", "Darknet network", ".cfg",
                  "convert it with its weights to ONNX (several YOLO projects have a script)",
                  IsDarknet},
    ForeignFormat{"ggml", "GGML file of before GGUF", ".bin",
                  "convert it to GGUF with the script of llama.cpp, or take the model as GGUF",
                  IsGgml},
};

}  // namespace

std::span<const ForeignFormat> ForeignFormats() { return kForeignFormats; }

const ForeignFormat* FindForeign(const FileLook& look) {
  const auto found = std::find_if(kForeignFormats.begin(), kForeignFormats.end(),
                                  [&](const ForeignFormat& format) { return format.is(look); });
  return found == kForeignFormats.end() ? nullptr : &*found;
}

}  // namespace opscope

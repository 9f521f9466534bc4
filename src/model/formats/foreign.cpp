#include "model/formats/foreign.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace opscope {

namespace {

// Bytes at the beginning, and what a file that has them is: no model at all.
struct Signature {
  std::string_view bytes;
  std::string_view says;
};

constexpr std::array kSignatures = {
    Signature{
        "version https://git-lfs",
        "is a Git LFS pointer, not the model: run `git lfs pull`, or download the file itself"},
    Signature{"\x93NUMPY", "is a NumPy array, not a model; inputs are given with --inputs"},
    Signature{"SQLite format 3", "is a SQLite database, not a model; read traces with `import`"},
    Signature{"\x7f"
              "ELF",
              "is a program or library, not a model"},
};

bool StartsText(std::string_view text, std::string_view word) {
  return text.substr(0, word.size()) == word;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Text formats, told by their first words.
std::string_view DescribeText(std::string_view prefix) {
  std::string start(prefix.substr(0, 512));
  if (StartsText(start, "\xEF\xBB\xBF")) start.erase(0, 3);
  start.erase(0, std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  std::transform(start.begin(), start.end(), start.begin(), Lower);
  if (StartsText(start, "<!doctype html") || StartsText(start, "<html"))
    return "is a web page, not a model: the download link led to a page; fetch the file itself";
  if (StartsText(start, "<?xml") || StartsText(start, "<net"))
    return "is an XML text, but no OpenVINO network, which begins with <net name=...>";
  if (StartsText(start, "ir_version:") || StartsText(start, "graph {") ||
      StartsText(start, "node {") || StartsText(start, "producer_name:"))
    return "is a model as protobuf text; turn it into a binary file: onnx.save(onnx.load(file, "
           "format='textproto'), 'model.onnx')";
  if (StartsText(start, "{") || StartsText(start, "["))
    return "is a JSON text, a profile perhaps: `import` reads profiles and traces";
  return {};
}

// TensorProto: dims (1), then data_type (2) as a number, where a ModelProto has a text.
bool IsTensorProto(std::string_view prefix) {
  std::size_t at = 0;
  while (at + 2 <= prefix.size() && prefix[at] == '\x08') {
    while (++at < prefix.size() && (prefix[at] & '\x80') != 0) {
    }
    ++at;
  }
  return at + 1 < prefix.size() && prefix[at] == '\x10' && prefix[at + 1] > 0 &&
         prefix[at + 1] < 32;
}

std::string Describe(const FileLook& look) {
  const std::string_view prefix = look.prefix;
  if (look.size == 0) return "is empty (0 bytes): the export or the download did not finish";
  for (const Signature& signature : kSignatures)
    if (StartsText(prefix, signature.bytes)) return std::string(signature.says);
  if (const ForeignFormat* format = FindForeign(look))
    return "is of a format that is not read (" + std::string(format->title) +
           "): " + std::string(format->way);
  if (StartsText(prefix, "PK\x03\x04"))
    return "is a zip archive of no known kind (PyTorch files .pt, .pth and .pt2 are read); name "
           "the member as archive.zip!member";
  if (const std::string_view text = DescribeText(prefix); !text.empty()) return std::string(text);
  if (IsTensorProto(prefix))
    return "is a single ONNX tensor (TensorProto), not a model; give the .onnx file it belongs to";
  if (prefix.find_first_not_of('\0') == std::string_view::npos)
    return "holds nothing but zero bytes: the download or the copy did not finish";
  return "is not a model that this build knows; `formats` lists what can be read, --as FORMAT "
         "forces one";
}

struct FolderMark {
  std::string_view name;
  std::string_view says;
};
constexpr std::array kFolderMarks = {
    FolderMark{
        "saved_model.pb",
        "is a TensorFlow SavedModel: python -m tf2onnx.convert --saved-model FOLDER --output "
        "m.onnx"},
    FolderMark{
        "coremldata.bin",
        "is a compiled Core ML model (.mlmodelc): give the .mlmodel or .mlpackage that it was "
        "compiled from"},
    FolderMark{"inference.pdmodel",
               "is a Paddle model: paddle2onnx --model_dir FOLDER --model_filename "
               "inference.pdmodel --params_filename inference.pdiparams --save_file m.onnx"},
    FolderMark{"pytorch_model.bin",
               "is a checkpoint in PyTorch's own files: save it with safetensors (save_pretrained "
               "with safe_serialization=True), or export the model with torch.onnx.export"},
    FolderMark{"pytorch_model.bin.index.json",
               "is a checkpoint in PyTorch's own files: save it with safetensors (save_pretrained "
               "with safe_serialization=True), or export the model with torch.onnx.export"},
    FolderMark{
        "checkpoint",
        "is a TensorFlow checkpoint, which holds variables: export a SavedModel, then tf2onnx"},
};

}  // namespace

std::string DescribeForeign(const FileLook& look) { return "the file " + Describe(look); }

std::string DescribeForeignFolder(const std::vector<std::string>& names) {
  for (const FolderMark& mark : kFolderMarks)
    if (std::find(names.begin(), names.end(), mark.name) != names.end())
      return "the folder " + std::string(mark.says);
  return {};
}

}  // namespace opscope

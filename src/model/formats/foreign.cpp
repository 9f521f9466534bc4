#include "model/formats/foreign.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace opscope {

namespace {

// Bytes at a fixed place, and what a file that has them is.
struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view says;
};

constexpr std::array kSignatures = {
    Signature{
        0, "version https://git-lfs",
        "is a Git LFS pointer, not the model: run `git lfs pull`, or download the file itself"},
    Signature{
        4, "TFL3",
        "is a TensorFlow Lite model, which this build does not read yet; give the ONNX export"},
    Signature{4, "ORTM",
              "is a model in ONNX Runtime's own ORT format; give the .onnx file it was made from"},
    Signature{0, "ftrt",
              "is a TensorRT engine, which shows nothing from outside; give the ONNX file it was "
              "built from, with the engine's layer JSON as a profile"},
    Signature{0, "PK\x03\x04",
              "is a zip archive; a PyTorch file (.pt, .pth, .pt2) has to be exported with "
              "torch.onnx.export, of any other name the member as archive.zip!member"},
    Signature{0, "\x80\x02",
              "is a Python pickle, an old PyTorch file perhaps; export it with torch.onnx.export"},
    Signature{0, "\x89HDF", "is an HDF5 file, a Keras model perhaps; export it with tf2onnx"},
    Signature{0, "\x93NUMPY", "is a NumPy array, not a model; inputs are given with --inputs"},
    Signature{0, "SQLite format 3", "is a SQLite database, not a model; read traces with `import`"},
    Signature{0,
              "\x7f"
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
    return "is an XML text, an OpenVINO model perhaps, which this build does not read yet; give "
           "the ONNX file it was made from";
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

std::string_view Describe(std::string_view prefix, std::uint64_t size) {
  if (size == 0) return "is empty (0 bytes): the export or the download did not finish";
  for (const Signature& signature : kSignatures)
    if (prefix.size() >= signature.offset &&
        StartsText(prefix.substr(signature.offset), signature.bytes))
      return signature.says;
  if (const std::string_view text = DescribeText(prefix); !text.empty()) return text;
  if (IsTensorProto(prefix))
    return "is a single ONNX tensor (TensorProto), not a model; give the .onnx file it belongs to";
  if (prefix.find_first_not_of('\0') == std::string_view::npos)
    return "holds nothing but zero bytes: the download or the copy did not finish";
  return "is not a model that this build knows; `formats` lists what can be read, --as FORMAT "
         "forces one";
}

}  // namespace

std::string DescribeForeign(std::string_view prefix, std::uint64_t size) {
  return "the file " + std::string(Describe(prefix, size));
}

}  // namespace opscope

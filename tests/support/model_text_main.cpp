// opscope-model-text IN OUT: turns a model in its text form into a file: of tflite_text.h where OUT
// ends in .tflite, else of graph_text.h into ONNX.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "support/graph_text.h"
#include "support/tflite_text.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: opscope-model-text IN OUT\n", stderr);
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto convert = [&]() -> opscope::Result<std::string> {
    if (!in) return opscope::Error{"input.missing", "cannot read", argv[1]};
    if (std::string(argv[2]).ends_with(".tflite")) return opscope::testing::TfliteFromText(text);
    return opscope::OnnxFromText(text);
  };
  const auto bytes = convert();
  if (!bytes.has_value()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], bytes.error().ToString().c_str());
    return 3;
  }
  std::ofstream out(argv[2], std::ios::binary);
  out.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  return out.flush() ? 0 : 4;
}

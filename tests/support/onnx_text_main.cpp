// opscope-onnx-text IN OUT: turns a model in the text form of graph_text.h into an ONNX file.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "support/graph_text.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: opscope-onnx-text IN OUT\n", stderr);
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto bytes =
      in ? opscope::OnnxFromText(text) : opscope::Error{"input.missing", "cannot read", argv[1]};
  if (!bytes.has_value()) {
    std::fprintf(stderr, "%s: %s\n", argv[1], bytes.error().ToString().c_str());
    return 3;
  }
  std::ofstream out(argv[2], std::ios::binary);
  out.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  return out.flush() ? 0 : 4;
}

// The model file as it is: names, formats, inputs and outputs.
#pragma once

#include "opscope/document/field.h"
#include "opscope/document/text.h"

namespace opscope::doc {

// An input or output of the model.
struct Port {
  static constexpr std::string_view kTitle = "Port";

  std::string name;
  std::string dtype;
  Shape shape;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("name", self.name);
    v("dtype", self.dtype);
    v("shape", self.shape, {"Null = unknown rank"});
  }
};

struct ExternalFile {
  static constexpr std::string_view kTitle = "ExternalFile";

  std::string file;
  std::optional<std::int64_t> bytes;
  bool found = false;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("file", self.file);
    v("bytes", self.bytes, {"", "bytes"});
    v("found", self.found);
  }
};

struct Model {
  static constexpr std::string_view kTitle = "Model";

  std::string file;
  std::optional<std::int64_t> bytes;
  std::optional<std::string> structure_hash;
  std::optional<std::string> hash;
  std::string format;
  std::optional<std::string> producer;
  Map<std::int64_t> opsets;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  Map<std::optional<std::int64_t>> symbols;  // absent = free
  std::vector<ExternalFile> external_files;

  template <class V, class Self>
  static void Visit(V& v, Self& self) {
    v("file", self.file);
    v("bytes", self.bytes, {"Of the model file, without external files", "bytes"});
    v("structure_hash", self.structure_hash, {"Of the graph without payloads"});
    v("hash", self.hash, {"xxh3-128 of the whole file; null when it was not asked for"});
    v("format", self.format);
    v("producer", self.producer);
    v("opsets", self.opsets, {"Version by domain; ai.onnx is the default domain"});
    v("inputs", self.inputs);
    v("outputs", self.outputs);
    v("symbols", self.symbols, {"Named dims: the number each was bound to, null = free"});
    v("external_files", self.external_files);
  }
};

}  // namespace opscope::doc

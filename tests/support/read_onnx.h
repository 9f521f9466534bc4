// Reads models given as text (graph_text.h) or bytes, and looks into them by name.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/formats/format.h"
#include "support/graph_text.h"

namespace opscope::testing {

// Files beside the model: name -> content. Absolute names and names with ".." are outside.
using Siblings = std::map<std::string, std::string>;

inline Result<Model> ReadBytes(std::string bytes, ImportLog& log, const Siblings& siblings = {}) {
  Source source = Source::FromBytes("m.onnx", std::move(bytes));
  const auto open = [&](const std::string& name) -> Result<Source> {
    if (name.find("..") != std::string::npos || name.rfind('/', 0) == 0)
      return Error{"input.outside", "lies outside the model's folder", ""};
    const auto found = siblings.find(name);
    if (found == siblings.end()) return Error{"input.missing", "no such file", name};
    return Source::FromBytes(name, found->second);
  };
  return ReadModel({source, log, open});
}

inline std::string BytesOf(std::string_view text) {
  auto bytes = OnnxFromText(text);
  if (!bytes.has_value()) {
    std::fprintf(stderr, "%s\n", bytes.error().ToString().c_str());
    std::abort();
  }
  return std::move(*bytes);
}

// A model that must be readable, with its log.
struct ReadText {
  explicit ReadText(std::string_view text, const Siblings& siblings = {})
      : model(Take(ReadBytes(BytesOf(text), log, siblings))) {}

  const Graph& main() const { return model.main(); }
  TensorId Find(std::string_view name, GraphId graph = {0}) const {
    for (std::uint32_t i = 0; i < model.tensors.size(); ++i)
      if (model.text(model.tensors[i].name) == name && model.tensors[i].graph == graph) return {i};
    return {};
  }
  const Tensor& tensor(std::string_view name) const { return model.tensor(Find(name)); }
  const Payload& payload(std::string_view name) const {
    return model.payload(tensor(name).payload);
  }
  // "N 3 ?", "*" for an unknown rank.
  std::string ShapeText(const Shape& shape) const {
    if (!shape.known_rank()) return "*";
    std::string text;
    for (const Dim& dim : *shape.dims) text += (text.empty() ? "" : " ") + model.dims.ToText(dim);
    return text;
  }
  std::string shape(std::string_view name) const { return ShapeText(tensor(name).declared.shape); }
  // The issue of that code, or nullptr.
  const ImportIssue* Issue(std::string_view code) const {
    for (const ImportIssue& issue : log.issues())
      if (issue.code == code) return &issue;
    return nullptr;
  }

  ImportLog log;
  Model model;

 private:
  static Model Take(Result<Model> model) {
    if (!model.has_value()) {
      std::fprintf(stderr, "%s\n", model.error().ToString().c_str());
      std::abort();
    }
    return std::move(*model);
  }
};

}  // namespace opscope::testing

// The interface of model readers: one constexpr struct of functions a format, one line in
// registry.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/import_log.h"
#include "base/source.h"
#include "model/model.h"

namespace opscope {

// What a reader may ask of its surroundings.
struct ModelReadContext {
  Source& source;
  ImportLog& log;
  // Opens a file that the model names, relative to the model's folder. Empty = none can be opened.
  // Refuses (code "input.outside") a path that leaves the folder unless the user allowed it.
  std::function<Result<Source>(const std::string& relative)> sibling;
};

enum class Match : std::uint8_t { kNo, kMaybe, kYes };

struct FormatInfo {
  std::string_view id;       // "onnx"
  std::string_view title;    // "ONNX model"
  std::string_view endings;  // ".onnx": a hint for people, never used to decide
  std::string_view what;     // what is read of it, one line
  // No other kind of file ends like that: in a folder, a file of such a name is taken for a model
  // without a look inside, so that a damaged one is reported.
  bool own_endings = false;
};

struct ModelFormat {
  FormatInfo info;
  // prefix: the first 64 KiB at most; size: of the whole input.
  Match (*probe)(std::string_view prefix, std::uint64_t size);
  Result<Model> (*read)(const ModelReadContext& context);
};

// All formats, in order of precedence.
std::span<const ModelFormat> ModelFormats();

// The name alone promises a model: "net.onnx", also packed ("net.onnx.gz").
bool IsNamedLikeModel(std::string_view file_name);

// Finds the format by content (or `as`, when not empty) and reads the model. Errors:
// input.unknown-format (what it looks like instead, and the way out), input.format-name (unknown
// `as`), and those of the reader.
Result<Model> ReadModel(const ModelReadContext& context, std::string_view as = "");

}  // namespace opscope

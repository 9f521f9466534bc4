#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "model/formats/aten_json/aten_json.h"
#include "model/formats/coreml/coreml.h"
#include "model/formats/foreign.h"
#include "model/formats/format.h"
#include "model/formats/gguf/gguf.h"
#include "model/formats/ncnn/ncnn.h"
#include "model/formats/onnx/onnx.h"
#include "model/formats/openvino/openvino.h"
#include "model/formats/pt2/pt2.h"
#include "model/formats/safetensors/safetensors.h"
#include "model/formats/tensorrt/tensorrt.h"
#include "model/formats/tflite/tflite.h"
#include "model/formats/torchscript/torchscript.h"

namespace opscope {

namespace {

constexpr std::size_t kProbeBytes = 64 * 1024;

// Order is precedence: among formats that only may fit, the first wins.
constexpr std::array kModelFormats = {
    onnx::kFormat,        tflite::kFormat,      openvino::kFormat,  coreml::kFormat,
    safetensors::kFormat, gguf::kFormat,        tensorrt::kFormat,  ncnn::kFormat,
    pt2::kFormat,         torchscript::kFormat, aten_json::kFormat,
};

Result<const ModelFormat*> FormatByName(std::string_view name) {
  std::vector<std::string> known;
  for (const ModelFormat& format : kModelFormats) {
    if (format.info.id == name) return &format;
    known.emplace_back(format.info.id);
  }
  std::vector<std::string> offered = Nearest(name, known);
  if (offered.empty()) offered = known;
  std::string list;
  for (const std::string& id : offered) list += (list.empty() ? "" : ", ") + id;
  return Error{"input.format-name",
               "no model format is called '" + Printable(name) + "'; nearest: " + list, ""};
}

// Weights have no content that tells what they are: "model.bin" with a network in "model.xml".
bool IsWeightsOfNetwork(const ModelReadContext& context) {
  const std::string name = context.source.file_name();
  if (!name.ends_with(".bin") || !context.sibling) return false;
  auto network = context.sibling(name.substr(0, name.size() - 4) + ".xml");
  if (!network.has_value()) return false;
  const auto prefix = network->Window(0, kProbeBytes);
  return prefix.has_value() && openvino::Probe(*prefix, network->size()) != Match::kNo;
}

Result<const ModelFormat*> FormatByContent(const ModelReadContext& context) {
  TRY_ASSIGN(const std::string_view prefix, context.source.Window(0, kProbeBytes));
  const std::uint64_t size = context.source.size();
  const ModelFormat* sure = nullptr;
  const ModelFormat* possible = nullptr;
  for (const ModelFormat& format : kModelFormats) {
    const Match match = format.probe(prefix, size);
    if (match == Match::kYes && sure != nullptr)
      return Error{"input.ambiguous-format",
                   "reads as " + std::string(sure->info.id) + " and as " +
                       std::string(format.info.id) + "; say which with --as",
                   ""};
    if (match == Match::kYes) sure = &format;
    if (match == Match::kMaybe && possible == nullptr) possible = &format;
  }
  if (sure != nullptr) return sure;
  if (possible == nullptr && IsWeightsOfNetwork(context))
    return Error{"input.weights-alone",
                 "holds the weights of an OpenVINO network, not its layers; give the .xml file "
                 "beside it",
                 ""};
  // A mark of a format that is not read counts more than a likeness to one that is.
  const FileLook look{prefix, size, context.source.file_name()};
  if (possible == nullptr || FindForeign(look) != nullptr)
    return Error{"input.unknown-format", DescribeForeign(look), ""};
  context.log.Add("input.format-guess", Severity::kNotice, "byte 0",
                  "the content is not unmistakable; read as " + std::string(possible->info.id));
  return possible;
}

}  // namespace

std::span<const ModelFormat> ModelFormats() { return kModelFormats; }

bool IsNamedLikeModel(std::string_view file_name) {
  for (const std::string_view packing : {".gz", ".zst", ".zip"})
    if (file_name.ends_with(packing)) file_name.remove_suffix(packing.size());
  return std::any_of(kModelFormats.begin(), kModelFormats.end(), [&](const ModelFormat& format) {
    return format.info.own_endings && file_name.ends_with(format.info.endings);
  });
}

Result<Model> ReadModel(const ModelReadContext& context, std::string_view as) {
  auto format = as.empty() ? FormatByContent(context) : FormatByName(as);
  if (!format.has_value()) return WithContext(format.error(), context.source.name());
  auto model = (*format)->read(context);
  if (!model.has_value()) return WithContext(model.error(), context.source.name());
  return model;
}

}  // namespace opscope

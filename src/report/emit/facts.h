// Pieces that the outputs for people share: labelled values and sentences in a language. Names
// from files go through here unescaped; each output escapes in its own way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opscope/document.h"
#include "report/emit/view.h"

namespace opscope {

struct Fact {
  std::string label;
  std::string value;
};

// "1x3x224x224", "[N,3,H,W]" where a dim is a symbol or formula; "?" where unknown, "scalar" for no
// dims.
std::string ShapeText(const doc::Shape& shape);
// The number in words of `show`, else its formula, else "unknown".
std::string CountText(const doc::Count& count, std::string_view key,
                      const doc::Map<std::string>& formulas, std::string (*show)(Int128),
                      Language language);

// "onnx opset 17": format and version of the default operators.
std::string FormatLine(const doc::Model& model);
// "x 1x3x224x224, mask 1x128, +2": what the model was run with, else what it declares.
std::string InputsLine(const doc::Document& document);
// "onnxruntime 1.32.0, CPU, 1 thread, level all"; empty when nothing is known.
std::string EngineLine(const doc::Document& document, Language language);
// "all 105 nodes counted", or the lower bound and what is missing.
std::string CoverageLine(const doc::Totals& totals, Language language);
// "stable", "not stable: why", "a single run …".
std::string StabilityLine(const doc::Run& run, Language language);

std::vector<Fact> ModelFacts(const doc::Model& model, Language language);
std::vector<Fact> ConditionFacts(const doc::Document& document, Language language);
std::vector<Fact> LatencyFacts(const doc::Run& run, Language language);
std::vector<Fact> TotalFacts(const doc::Totals& totals, Language language);
std::vector<Fact> MemoryFacts(const doc::Document& document, Language language);
// One a kind of oddity: "loss (3): what, first at where".
std::vector<std::string> QualityLines(const doc::Document& document, Language language);

// What a slice that is no op is called.
std::string SliceName(const TypeSlice& slice, Language language);
// "100 % of rows placed"; empty where nothing says so.
std::string PlacedLine(const doc::Run& run, Language language);
// A rate with one decimal; "-" for none at all, empty where it is unknown.
std::string RateText(const std::optional<double>& rate);
// "compute", "memory" …; empty when it is not known.
std::string BoundName(std::string_view bound, Language language);
// The MACs of one execution in short form; the formula where the number hangs on a symbol, "?"
// where it is unknown; empty for a row that is no layer.
std::string MacsText(const HotRow& row);
// The shape of the first output.
std::string OutputText(const HotRow& row);
// The name of an item of a sentence: a layer by name, else by number.
std::string LayerName(const doc::Document& document, std::int64_t id);

}  // namespace opscope

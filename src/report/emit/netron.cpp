#include "report/emit/netron.h"

#include <set>

#include "base/json_writer.h"

namespace opscope {
namespace {

// {"signature": "netron:attachment", "metadata": [], "metrics": [{"kind": "node", "target":
// "conv1",
//  "name": "MACs", "value": 118013952}, …]}
class Attachment {
 public:
  explicit Attachment(Sink& sink) : writer_(sink) {
    writer_.BeginObject();
    writer_.Key("signature");
    writer_.String("netron:attachment");
    writer_.Key("metadata");
    writer_.BeginArray();
    writer_.EndArray();
    writer_.Key("metrics");
    writer_.BeginArray();
  }

  // An unknown number is left out; one that hangs on a symbol is its formula.
  void Count(std::string_view kind, std::string_view target, std::string_view name,
             const doc::Count& value, std::string_view key, const doc::Map<std::string>& formulas) {
    if (value) {
      Begin(kind, target, name);
      writer_.Integer(*value);
      return writer_.EndObject();
    }
    for (const auto& [formula_key, formula] : formulas)
      if (formula_key == key) {
        Begin(kind, target, name);
        writer_.String(formula);
        return writer_.EndObject();
      }
  }
  void Integer(std::string_view kind, std::string_view target, std::string_view name,
               std::int64_t value) {
    Begin(kind, target, name);
    writer_.Integer(value);
    writer_.EndObject();
  }

  void End() {
    writer_.EndArray();
    writer_.EndObject();
  }

 private:
  void Begin(std::string_view kind, std::string_view target, std::string_view name) {
    writer_.BeginObject();
    for (const auto& [key, text] : {std::pair<std::string_view, std::string_view>{"kind", kind},
                                    {"target", target},
                                    {"name", name}}) {
      writer_.Key(key);
      writer_.String(text);
    }
    writer_.Key("value");
  }

  JsonWriter writer_;
};

void AddTotals(const doc::Totals& totals, Attachment& out) {
  out.Count("model", "", "MACs", totals.counts.macs, "macs", totals.formula);
  out.Count("model", "", "parameters", totals.parameters, "parameters", totals.formula);
  out.Count("model", "", "parameter bytes", totals.parameter_bytes, "parameter_bytes",
            totals.formula);
  out.Count("model", "", "live peak bytes", totals.memory.live_peak_bytes, "live_peak_bytes",
            totals.memory.formula);
}

void AddLayer(const doc::Layer& layer, const doc::Joined* joined, Attachment& out) {
  const auto count = [&](std::string_view name, const doc::Count& value, std::string_view key) {
    if (value != Int128{0}) out.Count("node", layer.name, name, value, key, layer.formulas);
  };
  count("MACs", layer.counts.macs, "macs");
  count("parameters", layer.parameters, "parameters");
  count("bytes read", layer.read_bytes, "read_bytes");
  count("bytes written", layer.write_bytes, "write_bytes");
  count("weight bytes", layer.weight_bytes, "weight_bytes");
  if (joined != nullptr && joined->median_ns)
    out.Integer("node", layer.name, "median ns", *joined->median_ns);
}

// Netron finds nodes by name and reads a name to its first line.
bool CanBeFound(const doc::Layer& layer) {
  return !layer.name.empty() && layer.name.find('\n') == std::string::npos;
}

}  // namespace

Result<void> EmitNetron(const doc::Document& document, const EmitOptions&, Sink& sink) {
  Attachment out(sink);
  if (document.static_part) {
    AddTotals(document.static_part->totals, out);
    std::vector<const doc::Joined*> joined(document.static_part->layers.size(), nullptr);
    for (const doc::Joined& row : document.joined)
      if (row.layer >= 0 && static_cast<std::size_t>(row.layer) < joined.size())
        joined[static_cast<std::size_t>(row.layer)] = &row;
    std::set<std::string_view> seen;  // of equal names the first one counts
    for (std::size_t i = 0; i < joined.size(); ++i) {
      const doc::Layer& layer = document.static_part->layers[i];
      if (CanBeFound(layer) && seen.insert(layer.name).second) AddLayer(layer, joined[i], out);
    }
  }
  out.End();
  sink.Append('\n');
  return {};
}

Result<void> EmitNetronAll(const doc::Reports& reports, const EmitOptions& options, Sink& sink) {
  if (reports.reports.size() > 1)
    return Error{"output.one-model", "a Netron attachment is of one model", "-o"};
  return EmitNetron(reports.reports.empty() ? doc::Document() : reports.reports.front(), options,
                    sink);
}

}  // namespace opscope

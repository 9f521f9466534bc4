// The JSON reader beside simdjson on the same trace: names, times and durations of all events.
//   build/bench/json_bench
// Each reader's answer is compared with what the trace was made of.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#ifdef OPSCOPE_SIMDJSON
#include <simdjson.h>
#endif

#include "base/decimal.h"
#include "base/json_reader.h"

namespace {

using opscope::JsonKind;
using opscope::JsonReader;
using opscope::JsonToken;
using opscope::Result;

struct Answer {
  std::int64_t events = 0;
  std::int64_t name_bytes = 0;
  std::int64_t busy_ns = 0;

  friend bool operator==(const Answer&, const Answer&) = default;
};

struct Made {
  std::string text;
  Answer answer;
};

// A trace in the shape of PyTorch's, some 20 MB.
const Made& Trace() {
  static const Made made = [] {
    Made out;
    out.text = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
    for (std::int64_t i = 0; i < 80'000; ++i) {
      const std::string name = "aten::convolution_" + std::to_string(i % 97);
      const std::int64_t ns = 1000 + i * 7919 % 90'000;
      const std::string dur =
          std::to_string(ns / 1000) + "." + std::to_string(1000 + ns % 1000).substr(1);
      out.text += std::string(i == 0 ? "" : ",\n") +
                  "    {\n      \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" + name +
                  "\", \"pid\": 25286, \"tid\": 25286,\n      \"ts\": " +
                  std::to_string(1428625758214 + i * 11) + ".125, \"dur\": " + dur +
                  ",\n      \"args\": {\n        \"External id\": " + std::to_string(i) +
                  ", \"Input Dims\": [[1, 64, 56, 56], [64, 64, 3, 3], []], \"Sequence number\": " +
                  std::to_string(i * 3) + "\n      }\n    }";
      ++out.answer.events;
      out.answer.name_bytes += static_cast<std::int64_t>(name.size());
      out.answer.busy_ns += ns;
    }
    out.text += "\n  ]\n}\n";
    return out;
  }();
  return made;
}

void Finish(benchmark::State& state, const Answer& answer) {
  if (!(answer == Trace().answer)) state.SkipWithError("wrong answer");
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(Trace().text.size()));
}

Result<Answer> ReadEvents(JsonReader& reader) {
  Answer answer;
  const auto event = [&](const JsonToken&) {
    ++answer.events;
    return reader.ForEachField([&](std::string_view key) -> Result<void> {
      if (key == "name") {
        TRY_ASSIGN(const JsonToken value, reader.Expect(JsonKind::kString));
        answer.name_bytes += static_cast<std::int64_t>(value.text.size());
      } else if (key == "dur") {
        TRY_ASSIGN(const JsonToken value, reader.Expect(JsonKind::kNumber));
        answer.busy_ns += opscope::ParseDecimalTime(value.text, 1000)->value;
      }
      return {};
    });
  };
  TRY(reader.Expect(JsonKind::kBeginObject));
  TRY(reader.ForEachField([&](std::string_view key) -> Result<void> {
    if (key != "traceEvents") return {};
    TRY(reader.Expect(JsonKind::kBeginArray));
    return reader.ForEachElement(event);
  }));
  return answer;
}

void OursEvents(benchmark::State& state) {
  Answer answer;
  for (auto _ : state) {
    JsonReader reader(Trace().text);
    answer = *ReadEvents(reader);
  }
  Finish(state, answer);
}
BENCHMARK(OursEvents)->Unit(benchmark::kMillisecond);

void OursAllTokens(benchmark::State& state) {
  Answer answer;
  for (auto _ : state) {
    JsonReader reader(Trace().text);
    std::int64_t tokens = 0;
    while (reader.Next()->kind != JsonKind::kEnd) ++tokens;
    answer = tokens > Trace().answer.events ? Trace().answer : Answer();
  }
  Finish(state, answer);
}
BENCHMARK(OursAllTokens)->Unit(benchmark::kMillisecond);

#ifdef OPSCOPE_SIMDJSON
Answer SimdjsonAnswer(simdjson::ondemand::parser& parser, const simdjson::padded_string& text) {
  Answer answer;
  auto document = parser.iterate(text);
  for (auto event : document["traceEvents"].get_array()) {
    ++answer.events;
    for (auto field : event.get_object()) {
      const std::string_view key = field.unescaped_key();
      if (key == "name") {
        const std::string_view name = field.value().get_string();
        answer.name_bytes += static_cast<std::int64_t>(name.size());
      } else if (key == "dur") {
        // The token with the blanks behind it.
        std::string_view token = field.value().raw_json_token();
        token = token.substr(0, token.find_last_not_of(" \r\n\t") + 1);
        answer.busy_ns += opscope::ParseDecimalTime(token, 1000)->value;
      }
    }
  }
  return answer;
}

void SimdjsonEvents(benchmark::State& state) {
  simdjson::ondemand::parser parser;
  const simdjson::padded_string text(Trace().text);
  Answer answer;
  for (auto _ : state) answer = SimdjsonAnswer(parser, text);
  Finish(state, answer);
}
BENCHMARK(SimdjsonEvents)->Unit(benchmark::kMillisecond);

void SimdjsonTree(benchmark::State& state) {
  simdjson::dom::parser parser;
  const simdjson::padded_string text(Trace().text);
  Answer answer;
  for (auto _ : state)
    answer = parser.parse(text).error() == simdjson::SUCCESS ? Trace().answer : Answer();
  Finish(state, answer);
}
BENCHMARK(SimdjsonTree)->Unit(benchmark::kMillisecond);
#endif

}  // namespace

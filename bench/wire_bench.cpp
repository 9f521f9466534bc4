// The wire walker beside protozero on the same ONNX graph of 100,000 nodes, all fields of it.
//   build/bench/wire_bench
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#ifdef OPSCOPE_PROTOZERO
#include <protozero/pbf_reader.hpp>
#endif

#include "base/wire.h"

namespace {

using opscope::Result;
using opscope::Source;
using opscope::WireReader;
using opscope::WireType;

std::string Varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string Number(std::uint32_t field, std::uint64_t value) {
  return Varint(field << 3) + Varint(value);
}
std::string Bytes(std::uint32_t field, const std::string& payload) {
  return Varint(field << 3 | 2) + Varint(payload.size()) + payload;
}

struct Made {
  std::string graph;
  std::int64_t fields = 0;
};

// Messages: field 1 = node {1, 2 = names, 5 = attribute {1 = name, 8 = ints, 20 = type}}, 5 =
// weight.
const Made& Graph() {
  static const Made made = [] {
    Made out;
    for (int i = 0; i < 100'000; ++i) {
      std::string attribute = Bytes(1, "kernel_shape");
      for (int k = 0; k < 4; ++k) attribute += Number(8, 3);
      attribute += Number(20, 7);
      std::string node;
      for (const char* name : {"input_", "weight_", "bias_"})
        node += Bytes(1, name + std::to_string(i));
      node += Bytes(2, "output_" + std::to_string(i)) +
              Bytes(3, "layers." + std::to_string(i) + "/Conv");
      for (int k = 0; k < 3; ++k) node += Bytes(5, attribute);
      out.graph += Bytes(1, node);
      out.graph += Bytes(5, std::string(300, 'w'));
      out.fields += 2 + 5 + 3 + 3 * 6;
    }
    return out;
  }();
  return made;
}

bool IsMessage(int level, std::uint32_t field) {
  return (level == 0 && field == 1) || (level == 1 && field == 5);
}

void Finish(benchmark::State& state, std::int64_t fields) {
  if (fields != Graph().fields) state.SkipWithError("wrong answer");
  state.SetItemsProcessed(state.iterations() * fields);
}

Result<std::int64_t> Count(WireReader reader, int level) {
  std::int64_t fields = 0;
  while (true) {
    TRY_ASSIGN(const auto field, reader.Next());
    if (!field) return fields;
    ++fields;
    if (!IsMessage(level, field->number) || field->type != WireType::kBytes) continue;
    TRY_ASSIGN(const std::int64_t inner, Count(reader.Message(*field), level + 1));
    fields += inner;
  }
}

void Ours(benchmark::State& state) {
  Source source = Source::FromBytes("graph", Graph().graph);
  std::int64_t fields = 0;
  for (auto _ : state) fields = *Count(WireReader(source, 0, source.size()), 0);
  Finish(state, fields);
}
BENCHMARK(Ours)->Unit(benchmark::kMillisecond);

#ifdef OPSCOPE_PROTOZERO
std::int64_t Count(protozero::pbf_reader reader, int level) {
  std::int64_t fields = 0;
  while (reader.next()) {
    ++fields;
    if (IsMessage(level, reader.tag())) {
      fields += Count(reader.get_message(), level + 1);
    } else {
      reader.skip();
    }
  }
  return fields;
}

void Protozero(benchmark::State& state) {
  std::int64_t fields = 0;
  for (auto _ : state) fields = Count(protozero::pbf_reader(Graph().graph), 0);
  Finish(state, fields);
}
BENCHMARK(Protozero)->Unit(benchmark::kMillisecond);
#endif

}  // namespace

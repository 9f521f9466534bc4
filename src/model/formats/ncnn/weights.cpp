#include "model/formats/ncnn/weights.h"

#include <algorithm>
#include <string>

#include "base/checked.h"
#include "base/result.h"

namespace opscope::ncnn {

namespace {

using Slots = std::vector<Slot>;

// The product of all dims but the last divides what there is; a rest means a damaged file.
std::int64_t Rest(std::int64_t total, std::initializer_list<std::int64_t> dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    const auto next = CheckedMul(product, dim);
    if (dim <= 0 || !next) return 0;
    product = *next;
  }
  return total / product;
}

void AddBias(const Record& r, int id, std::int64_t outputs, Slots& slots) {
  if (IntOf(r, id) != 0) slots.push_back({"bias", {outputs}});
}

// Scales of int8: of the weights (one, or one a channel), of the input, above 100 of the output.
void AddScales(const Record& r, std::int64_t channels, Slots& slots) {
  const std::int64_t term = IntOf(r, 8);
  if (term == 0) return;
  slots.push_back({"weight_scales", {channels}});
  slots.push_back({"bottom_scales", {1}});
  if (term > 100) slots.push_back({"top_scales", {1}});
}

// [num_output, num_input / group, (d, h,) w]; deconvolutions have the same order in the file.
template <int kRank, bool kGroups>
Slots Convolution(const Record& r) {
  if (IntOf(r, 19) != 0 && r.type.starts_with("Convolution")) return {};
  if (IntOf(r, 28) != 0 && kRank == 2) return {};
  const std::int64_t outputs = IntOf(r, 0);
  const std::int64_t w = IntOf(r, 1);
  const std::int64_t h = kRank > 1 ? IntOf(r, 11, w) : 1;
  const std::int64_t d = kRank > 2 ? IntOf(r, 21, w) : 1;
  Slot weight{"weight", {outputs, Rest(IntOf(r, 6), {outputs, w, h, d})}, true};
  if (kRank > 2) weight.dims.push_back(d);
  if (kRank > 1) weight.dims.push_back(h);
  weight.dims.push_back(w);
  Slots slots = {std::move(weight)};
  AddBias(r, 5, outputs, slots);
  const std::int64_t term = IntOf(r, 8) % 100;
  if (kRank == 2 && r.type.starts_with("Convolution"))
    AddScales(r, !kGroups ? outputs : term == 1 ? IntOf(r, 7, 1) : 1, slots);
  return slots;
}

Slots InnerProduct(const Record& r) {
  const std::int64_t outputs = IntOf(r, 0);
  Slots slots = {{"weight", {outputs, Rest(IntOf(r, 2), {outputs})}, true}};
  AddBias(r, 1, outputs, slots);
  AddScales(r, outputs, slots);
  if (slots.size() > 2 && slots.back().name == "top_scales") slots.pop_back();
  return slots;
}

Slots Embed(const Record& r) {
  const std::int64_t outputs = IntOf(r, 0);
  Slots slots = {{"weight", {Rest(IntOf(r, 3), {outputs}), outputs}, true}};
  AddBias(r, 2, outputs, slots);
  if (IntOf(r, 18) != 0) slots.push_back({"weight_scales", {1}});
  return slots;
}

// kGates weight blocks and kBiases bias blocks a direction.
template <int kGates, int kBiases>
Slots Recurrence(const Record& r) {
  const std::int64_t outputs = IntOf(r, 0);
  const std::int64_t hidden = kGates == 4 ? IntOf(r, 3, outputs) : outputs;
  const std::int64_t directions = IntOf(r, 2) == 2 ? 2 : 1;
  const std::int64_t rows = CheckedMul<std::int64_t>(hidden, kGates).value_or(0);
  const std::int64_t inputs = Rest(IntOf(r, 1), {directions, hidden, kGates});
  Slots slots = {{"weight_xc", {directions, rows, inputs}, true},
                 {"bias_c", {directions, kBiases, hidden}, true},
                 {"weight_hc", {directions, rows, outputs}, true}};
  if (hidden != outputs) slots.push_back({"weight_hr", {directions, outputs, hidden}, true});
  if (IntOf(r, 8) != 0) {
    slots.push_back({"weight_xc_scales", {directions, rows}});
    slots.push_back({"weight_hc_scales", {directions, rows}});
  }
  return slots;
}

Slots MultiHeadAttention(const Record& r) {
  const std::int64_t width = IntOf(r, 0);
  const std::int64_t q = Rest(IntOf(r, 2), {width});
  const std::int64_t k = IntOf(r, 3, width);
  const std::int64_t v = IntOf(r, 4, width);
  Slots slots = {{"q_weight", {width, q}, true},   {"q_bias", {width}},
                 {"k_weight", {width, k}, true},   {"k_bias", {width}},
                 {"v_weight", {width, v}, true},   {"v_bias", {width}},
                 {"out_weight", {q, width}, true}, {"out_bias", {q}}};
  if (IntOf(r, 18) != 0)
    for (const std::string_view name : {"q_scales", "k_scales", "v_scales", "out_scales"})
      slots.push_back({name, {name == "out_scales" ? 1 : width}});
  return slots;
}

Slots Gemm(const Record& r) {
  const std::int64_t m = IntOf(r, 7);
  const std::int64_t n = IntOf(r, 8);
  const std::int64_t k = IntOf(r, 9);
  Slots slots;
  if (IntOf(r, 4) == 1)
    slots.push_back({"A", IntOf(r, 2) == 1 ? std::vector{k, m} : std::vector{m, k}, true});
  if (IntOf(r, 5) == 1)
    slots.push_back({"B", IntOf(r, 3) == 1 ? std::vector{n, k} : std::vector{k, n}, true});
  if (IntOf(r, 6) == 1 && IntOf(r, 10) != -1) {
    const std::vector<std::int64_t> forms[] = {{1}, {m}, {m, 1}, {m, n}, {1, n}};
    slots.push_back({"C", forms[std::clamp<std::int64_t>(IntOf(r, 10), 0, 4)], true});
  }
  if (IntOf(r, 18) != 0 && IntOf(r, 4) == 1) slots.push_back({"A_scales", {m}});
  if (IntOf(r, 18) != 0 && IntOf(r, 5) == 1) slots.push_back({"B_scales", {1}});
  return slots;
}

Slots MemoryData(const Record& r) {
  Slot slot{"data", {}, IntOf(r, 21, 1) == 0};
  for (const int id : {2, 11, 1, 0})
    if (const std::int64_t size = IntOf(r, id); size != 0) slot.dims.push_back(size);
  return {std::move(slot)};
}

// As many numbers as parameter `kId` says, or as many as it says by itself, where `kIf` holds.
template <int kId, int kIf = -1>
std::int64_t SizeOf(const Record& r) {
  return kIf >= 0 && IntOf(r, kIf, 1) == 0 ? 0 : IntOf(r, kId);
}

template <int kId, int kIf = -1>
Slots Affine(const Record& r) {
  const std::int64_t size = SizeOf<kId, kIf>(r);
  if (size == 0) return {};
  return {{"gamma", {size}}, {"beta", {size}}};
}

Slots RmsNorm(const Record& r) {
  const std::int64_t size = SizeOf<0, 2>(r);
  return size == 0 ? Slots{} : Slots{{"gamma", {size}}};
}

Slots BatchNorm(const Record& r) {
  const std::int64_t n = IntOf(r, 0);
  return {{"slope", {n}}, {"mean", {n}}, {"variance", {n}}, {"bias", {n}}};
}

Slots Scale(const Record& r) {
  constexpr std::int64_t kFromBlob = -233;
  const std::int64_t n = IntOf(r, 0);
  if (n == kFromBlob) return {};
  Slots slots = {{"scale", {n}}};
  AddBias(r, 1, n, slots);
  return slots;
}

Slots Quantisation(const Record& r) {
  Slots slots = {{"scale", {IntOf(r, 0, 1)}}};
  const bool again = r.type == "Requantize";
  if (again) slots.push_back({"scale_out", {IntOf(r, 1, 1)}});
  const std::int64_t bias = r.type == "Quantize" ? 0 : IntOf(r, again ? 2 : 1);
  if (bias != 0) slots.push_back({"bias", {bias}});
  return slots;
}

template <int kId>
Slots One(const Record& r) {
  if (IntOf(r, kId) == 0) return {};
  return {{"data", {IntOf(r, kId)}}};
}

Slots Nothing(const Record&) { return {}; }

struct Rule {
  std::string_view type;
  Slots (*slots)(const Record&);
};

constexpr Rule kRules[] = {{"BatchNorm", BatchNorm},
                           {"Bias", One<0>},
                           {"Convolution", Convolution<2, false>},
                           {"Convolution1D", Convolution<1, false>},
                           {"Convolution3D", Convolution<3, false>},
                           {"ConvolutionDepthWise", Convolution<2, true>},
                           {"ConvolutionDepthWise1D", Convolution<1, true>},
                           {"ConvolutionDepthWise3D", Convolution<3, true>},
                           {"Deconvolution", Convolution<2, false>},
                           {"Deconvolution1D", Convolution<1, false>},
                           {"Deconvolution3D", Convolution<3, false>},
                           {"DeconvolutionDepthWise", Convolution<2, true>},
                           {"DeconvolutionDepthWise1D", Convolution<1, true>},
                           {"DeconvolutionDepthWise3D", Convolution<3, true>},
                           {"DeformableConv2D", Convolution<2, false>},
                           {"Dequantize", Quantisation},
                           {"Embed", Embed},
                           {"GRU", Recurrence<3, 4>},
                           {"Gemm", Gemm},
                           {"GroupNorm", Affine<1, 3>},
                           {"InnerProduct", InnerProduct},
                           {"InstanceNorm", Affine<0, 2>},
                           {"LSTM", Recurrence<4, 4>},
                           {"LayerNorm", Affine<0, 2>},
                           {"MemoryData", MemoryData},
                           {"MultiHeadAttention", MultiHeadAttention},
                           {"Normalize", One<3>},
                           {"PReLU", One<0>},
                           {"Padding", One<6>},
                           {"Quantize", Quantisation},
                           {"RMSNorm", RmsNorm},
                           {"RNN", Recurrence<1, 1>},
                           {"Requantize", Quantisation},
                           {"Scale", Scale}};

std::optional<std::int64_t> CountOf(const std::vector<std::int64_t>& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    const auto next = CheckedMul(count, dim);
    if (dim < 0 || !next || *next > std::int64_t{1} << 48) return std::nullopt;
    count = *next;
  }
  return count;
}

std::uint64_t Aligned(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

}  // namespace

std::int64_t IntOf(const Record& record, int id, std::int64_t otherwise) {
  const std::string name = std::to_string(id);
  for (const auto& [key, value] : record.params) {
    if (key != name) continue;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
    if (const auto* real = std::get_if<float>(&value))
      return *real >= -1e9F && *real <= 1e9F ? static_cast<std::int64_t>(*real) : otherwise;
  }
  return otherwise;
}

std::vector<std::int64_t> IntsOf(const Record& record, int id) {
  const std::string name = std::to_string(id);
  for (const auto& [key, value] : record.params)
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value); list && key == name)
      return *list;
  return {};
}

std::optional<std::vector<Slot>> SlotsOf(const Record& record) {
  if (record.type.starts_with("custom") || record.type.starts_with("type")) return std::nullopt;
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& r) { return r.type == record.type; });
  Slots slots = (rule == std::end(kRules) ? &Nothing : rule->slots)(record);
  for (const Slot& slot : slots)
    if (!CountOf(slot.dims)) return std::nullopt;
  return slots;
}

std::optional<std::uint32_t> WeightFile::Flag() {
  const auto bytes = source_->Window(at_, 4);
  if (!bytes.has_value() || bytes->size() < 4) return std::nullopt;
  std::uint32_t flag = 0;
  for (std::size_t i = 4; i-- > 0;) flag = flag << 8 | static_cast<unsigned char>((*bytes)[i]);
  at_ += 4;
  return flag;
}

Payload WeightFile::Next(const Slot& slot) {
  Payload payload;
  payload.dtype = DType::kFloat32;
  payload.dims = slot.dims;
  payload.place = Payload::Place::kExternal;
  const auto count = static_cast<std::uint64_t>(CountOf(slot.dims).value_or(0));
  payload.length = count * 4;
  if (lost()) return payload;
  constexpr std::uint32_t kHalf = 0x01306B47, kInt8 = 0x000D4B38, kFloat = 0x0002C056;
  constexpr std::uint64_t kTable = 256 * 4;  // of float32; an index of a byte for each number
  if (slot.tagged) {
    const auto flag = Flag();
    if (!flag) {
      Lose();
      return payload;
    }
    payload.offset = at_;
    if (*flag == kHalf) {
      payload.dtype = DType::kFloat16;
      payload.length = count * 2;
    } else if (*flag == kInt8) {
      payload.dtype = DType::kInt8;
      payload.length = count;
    } else if (*flag != 0 && *flag != kFloat) {
      payload.dtype = DType::kUInt8;
      payload.length = count + kTable;
    }
  } else {
    payload.offset = at_;
  }
  at_ += Aligned(payload.length);
  if (at_ > source_->size()) Lose();
  return payload;
}

}  // namespace opscope::ncnn

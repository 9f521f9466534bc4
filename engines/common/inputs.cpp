#include "engines/common/inputs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <functional>

#include "base/checked.h"
#include "engines/common/convert.h"
#include "engines/common/random.h"

namespace opscope::child {
namespace {

struct DtypeBits {
  std::string_view dtype;
  int bits;
};

constexpr DtypeBits kBits[] = {
    {"float64", 64},     {"float32", 32},       {"float16", 16},   {"bfloat16", 16},
    {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8}, {"float8e5m2fnuz", 8},
    {"float4e2m1", 4},   {"int64", 64},         {"int32", 32},     {"int16", 16},
    {"int8", 8},         {"int4", 4},           {"int2", 2},       {"uint64", 64},
    {"uint32", 32},      {"uint16", 16},        {"uint8", 8},      {"uint4", 4},
    {"uint2", 2},        {"bool", 8},           {"complex64", 64}, {"complex128", 128},
};

bool IsFloat(std::string_view dtype) {
  return dtype == "float32" || dtype == "float64" || dtype == "float16" || dtype == "bfloat16";
}

bool IsInteger(std::string_view dtype) {
  return dtype.substr(0, 3) == "int" || dtype.substr(0, 4) == "uint";
}

// How the values of an input are drawn: value(i) for its i-th element.
struct Plan {
  std::string words;
  std::function<double(std::size_t)> value;
};

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Plan Constant(double value, std::string words) {
  return {std::move(words), [value](std::size_t) { return value; }};
}

Plan Uniform(double low, double high, std::uint64_t seed, std::string words) {
  return {std::move(words), [=, random = Random(seed)](std::size_t) mutable {
            return low + (high - low) * random.Unit();
          }};
}

Plan Integers(std::int64_t low, std::int64_t count, std::uint64_t seed, std::string words) {
  return {std::move(words), [=, random = Random(seed)](std::size_t) mutable {
            return static_cast<double>(low + random.Below(count));
          }};
}

// Rank 4 with one, three or four channels, in either layout.
bool LooksLikeImage(const std::vector<std::int64_t>& shape) {
  if (shape.size() != 4) return false;
  const auto channels = [](std::int64_t size) { return size == 1 || size == 3 || size == 4; };
  return channels(shape[1]) || channels(shape[3]);
}

std::int64_t Elements(const std::vector<std::int64_t>& shape) {
  std::int64_t out = 1;
  for (const std::int64_t dim : shape) out *= dim;
  return out;
}

// What the name of an integer input says about its values; no words when it says nothing.
Plan IntegersByName(const Value& input, std::int64_t elements) {
  const std::string name = Lower(input.name);
  if (Contains(name, "mask")) return Constant(1, "ones (a mask)");
  if (elements == 1 && (name == "sr" || Contains(name, "sample_rate") ||
                        Contains(name, "sampling_rate") || Contains(name, "samplerate")))
    return Constant(16000, "16000 (a sample rate)");
  if (Contains(name, "token_type") || Contains(name, "segment_ids"))
    return Constant(0, "zeros (token types)");
  const std::int64_t last = input.run_shape.empty() ? 1 : input.run_shape.back();
  if (Contains(name, "position"))
    return {
        "0, 1, 2 .. along the last axis (positions)", [last](std::size_t i) {
          return static_cast<double>(i % static_cast<std::size_t>(std::max<std::int64_t>(last, 1)));
        }};
  return {};
}

Plan IntegerPlan(const Value& input, const GivenValues* given, std::uint64_t seed,
                 std::int64_t elements) {
  if (Plan named = IntegersByName(input, elements); named.value) return named;
  const int bits = BitsOf(input.dtype);
  const bool is_signed = input.dtype[0] == 'i';
  std::int64_t low = 0, count = 100;  // small ids are valid nearly everywhere
  if (given && given->upper_bound) {
    count = std::max<std::int64_t>(1, *given->upper_bound);
  } else if (bits <= 8 && input.run_shape.size() >= 2) {
    count = std::int64_t{1} << bits;  // quantised data or pixels: the whole range
    if (is_signed) low = -count / 2;
  }
  if (bits < 64) count = std::min(count, (std::int64_t{1} << (bits - (is_signed ? 1 : 0))) - low);
  return Integers(low, count, seed,
                  "integers " + std::to_string(low) + " .. " + std::to_string(low + count - 1));
}

Plan FloatPlan(const Value& input, std::uint64_t seed) {
  if (Contains(Lower(input.name), "mask")) return Constant(1, "ones (a mask)");
  if (LooksLikeImage(input.run_shape)) return Uniform(0, 1, seed, "uniform 0 .. 1 (an image)");
  return {"standard normal",
          [random = Random(seed)](std::size_t) mutable { return random.Normal(); }};
}

Result<Plan> PlanFor(const Value& input, const GivenValues* given, std::uint64_t seed,
                     std::int64_t elements) {
  if (given && given->constant) {
    std::array<char, 40> text;
    std::snprintf(text.data(), text.size(), "all %.10g", *given->constant);
    return Constant(*given->constant, text.data());
  }
  if (input.dtype == "bool") return Constant(1, "true");
  if (IsFloat(input.dtype)) return FloatPlan(input, seed);
  if (IsInteger(input.dtype)) return IntegerPlan(input, given, seed, elements);
  if (BitsOf(input.dtype) > 0)
    return Integers(0, 2, seed, "bit patterns 0 and 1 of " + input.dtype);
  return Error{"input", "cannot make values of type '" + input.dtype + "'", input.name};
}

// Element `i` of dtype `dtype` in `bytes`.
void Store(std::string_view dtype, int bits, std::size_t i, double value, std::string& bytes) {
  if (bits < 8) {  // packed, the first element in the low bits
    const std::size_t per_byte = 8 / static_cast<std::size_t>(bits);
    const unsigned mask = (1U << bits) - 1;
    const unsigned pattern = static_cast<unsigned>(static_cast<std::int64_t>(value)) & mask;
    const auto shift = static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(bits);
    bytes[i / per_byte] =
        static_cast<char>(static_cast<unsigned char>(bytes[i / per_byte]) | (pattern << shift));
    return;
  }
  const auto put = [&](auto typed) {
    std::memcpy(bytes.data() + i * sizeof typed, &typed, sizeof typed);
  };
  if (dtype == "float32") return put(static_cast<float>(value));
  if (dtype == "float64") return put(value);
  if (dtype == "float16") return put(HalfBits(static_cast<float>(value)));
  if (dtype == "bfloat16") return put(BrainBits(static_cast<float>(value)));
  const auto whole = static_cast<std::int64_t>(value);
  if (bits == 8) return put(static_cast<std::int8_t>(whole));
  if (bits == 16) return put(static_cast<std::int16_t>(whole));
  if (bits == 32) return put(static_cast<std::int32_t>(whole));
  if (bits == 64) return put(whole);
}

}  // namespace

int BitsOf(std::string_view dtype) {
  for (const DtypeBits& known : kBits)
    if (known.dtype == dtype) return known.bits;
  return 0;
}

Result<std::size_t> BytesOf(std::string_view dtype, const std::vector<std::int64_t>& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 42;
  std::optional<std::int64_t> bits = std::max(1, BitsOf(dtype));
  for (const std::int64_t dim : shape) {
    if (dim < 0) return Error{"input", "a negative dim", ""};
    bits = bits ? CheckedMul(*bits, dim) : bits;
  }
  if (!bits || *bits > kMost) return Error{"input", "an array of this shape is too large", ""};
  return static_cast<std::size_t>((*bits + 7) / 8);
}

Result<Array> MakeArray(const Value& input, const GivenValues* given, std::uint64_t seed) {
  auto size = BytesOf(input.dtype, input.run_shape);
  if (!size.has_value()) return WithContext(size.error(), input.name);
  const std::int64_t elements = Elements(input.run_shape);
  Array out{input.run_shape, {}, {}, {}};
  if (input.dtype == "string") {
    out.strings.assign(static_cast<std::size_t>(elements), "a");
    out.fill = "the string \"a\"";
    return out;
  }
  TRY_ASSIGN(Plan plan, PlanFor(input, given, SeedFor(seed, input.name), elements));
  out.fill = plan.words;
  out.bytes.assign(*size, '\0');
  const int bits = BitsOf(input.dtype);
  for (std::size_t i = 0; i < static_cast<std::size_t>(elements); ++i)
    Store(input.dtype, bits, i, plan.value(i), out.bytes);
  return out;
}

}  // namespace opscope::child

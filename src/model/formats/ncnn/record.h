// A layer as the file states it, before anything is made of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/formats/format.h"

namespace opscope::ncnn {

// An operand or a weight of pnnx with its type: #0=(1,3,224,224)f32, @weight=(64,3,7,7)f32.
struct TypedName {
  std::string name;
  TypeInfo type;
};

struct Record {
  std::string type;
  std::string name;
  std::vector<std::string> bottoms;
  std::vector<std::string> tops;
  std::vector<std::pair<std::string, AttributeValue>> params;  // by id ("0"), or by name in pnnx
  std::vector<TypedName> operands;                             // pnnx
  std::vector<TypedName> weights;                              // pnnx
};

struct Layers {
  std::vector<Record> records;
  bool pnnx = false;
};

constexpr std::string_view kMagic = "7767517";
constexpr std::uint32_t kMagicNumber = 7767517;
constexpr std::int64_t kMaxLayers = 4'000'000;
constexpr std::int64_t kMaxBlobs = 16'000'000;
constexpr std::size_t kMaxNumbers = 1 << 20;  // of one list

Result<Layers> ReadText(Source& source);
Result<Layers> ReadBinary(Source& source);

}  // namespace opscope::ncnn

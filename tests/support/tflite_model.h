// TFLite files for tests, from a few words a tensor and an operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/flat_writer.h"

namespace opscope::testing {

struct TfliteTensor {
  std::string name;
  std::vector<std::int32_t> shape;
  int type = 0;                          // float32; 2 int32, 9 int8, 1 float16
  std::optional<std::string> data = {};  // the bytes of a constant
  std::vector<std::int32_t> signature = {};
  bool variable = false;
  FlatPointer quantisation = nullptr;
  // Where the bytes of a constant lie instead: behind the graph, or in another file.
  struct Place {
    std::int64_t offset, size;
    std::string file = {};
  };
  std::optional<Place> place = {};
};

struct TfliteOp {
  int code;
  std::vector<std::int32_t> inputs, outputs;
  int options_type = 0;
  FlatFields options = {};
  std::string custom = {};  // name of a custom operator (code 32)
  int options2_type = 0;
};

struct TfliteGraph {
  std::vector<TfliteTensor> tensors;
  std::vector<std::int32_t> inputs, outputs;
  std::vector<TfliteOp> ops;
};

// The elements of an int32 constant.
inline std::string Int32Bytes(const std::vector<std::int32_t>& numbers) {
  return FlatInts(numbers)->bytes;
}

std::string TfliteFile(const std::vector<TfliteGraph>& graphs);

}  // namespace opscope::testing

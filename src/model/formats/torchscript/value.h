// What a name of the code stands for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/formats/torchscript/pickle.h"
#include "model/model.h"

namespace opscope::torchscript {

struct Value {
  enum class Kind : std::uint8_t {
    kNone,
    kInteger,  // integer; flags as 0 and 1
    kFloat,
    kText,
    kTensor,  // tensor: a tensor, or a number of run time when `number`
    kList,    // items; tuples too
    kSizes,   // all sizes of `tensor`
    kPieces,  // the tensors that `node` gives, as many as are asked for
    kModule,  // pickled: an object of data.pkl, of class `text`, at the path `path`
    kUnknown  // what only running tells; `likely` = what a condition mostly is
  };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double real = 0;
  std::string text, path;
  TensorId tensor;
  bool number = false;
  bool likely = true;
  NodeId node;
  const PickleValue* pickled = nullptr;
  std::vector<Value> items;
};

inline Value Integer(std::int64_t value) {
  Value out;
  out.kind = Value::Kind::kInteger;
  out.integer = value;
  return out;
}
inline Value Unknown(bool likely) {
  Value out;
  out.kind = Value::Kind::kUnknown;
  out.likely = likely;
  return out;
}

inline bool IsScalar(const Value& value) {
  return value.kind == Value::Kind::kInteger || value.kind == Value::Kind::kFloat ||
         (value.kind == Value::Kind::kTensor && value.number) ||
         value.kind == Value::Kind::kUnknown;
}

}  // namespace opscope::torchscript

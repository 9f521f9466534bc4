// Pickles of PyTorch, read as data: nothing in them is run.
//
//   c torch._utils _rebuild_tensor_v2, ((storage, torch FloatStorage, '0', cpu, 216), 0, (8, 3, 3,
//   3), (27, 9, 3, 1), …) R      a tensor: what its storage is called and how it lies there
// Opcodes and classes that files of PyTorch do not need are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/dtype.h"

namespace opscope::torchscript {

struct PickleValue {
  enum class Kind : std::uint8_t {
    kNone,
    kFlag,
    kInteger,
    kFloat,
    kText,
    kList,  // lists, tuples, sets
    kDict,  // items: key, value, key, value …
    kGlobal,
    kObject,   // text = its class, items = its fields as in kDict
    kStorage,  // text = its name in the archive
    kTensor    // text = its storage's name
  };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;  // kInteger, kFlag; elements before the first one of kTensor
  double real = 0;
  DType dtype = DType::kUnknown;     // kStorage, kTensor
  std::string text;                  // kText, kGlobal ("torch._utils._rebuild_tensor_v2"), …
  std::vector<std::uint32_t> items;  // indices of values
  std::vector<std::int64_t> sizes;   // kTensor
};

struct Pickle {
  std::vector<PickleValue> values;
  std::uint32_t top = 0;

  const PickleValue& operator[](std::uint32_t value) const { return values[value]; }
  // The value of a key of a dict or a field of an object; nullptr when there is none.
  const PickleValue* Find(const PickleValue& in, std::string_view key) const;
};

// Errors: "pickle.refused" for what would run code, "pickle.damaged".
Result<Pickle> ReadPickle(std::string_view bytes);

}  // namespace opscope::torchscript

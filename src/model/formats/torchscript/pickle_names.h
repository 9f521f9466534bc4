// The names of classes and functions that pickles of tensors hold. All others are refused or kept
// as data; none is ever looked up or called.
#pragma once

#include <array>
#include <string_view>

#include "model/dtype.h"

namespace opscope::torchscript {

// Functions whose results are data, by what they give.
inline constexpr std::array kContainers = {
    std::string_view("collections.OrderedDict"), std::string_view("collections.defaultdict"),
    std::string_view("builtins.set"), std::string_view("__builtin__.set")};
inline constexpr std::array kPassing = {
    std::string_view("torch._utils._rebuild_parameter"),
    std::string_view("torch._utils._rebuild_parameter_with_state"),
    std::string_view("torch.jit._pickle.build_intlist"),
    std::string_view("torch.jit._pickle.build_tensorlist"),
    std::string_view("torch.jit._pickle.build_doublelist"),
    std::string_view("torch.jit._pickle.build_boollist"),
    std::string_view("torch.jit._pickle.build_tensor_from_id"),
    std::string_view("torch.jit._pickle.restore_type_tag"),
    std::string_view("torch.Size"),
    std::string_view("torch.device"),
    std::string_view("torch.serialization._get_layout")};

struct StorageType {
  std::string_view name;
  DType dtype;
};
inline constexpr std::array kStorages = {
    StorageType{"torch.FloatStorage", DType::kFloat32},
    StorageType{"torch.DoubleStorage", DType::kFloat64},
    StorageType{"torch.HalfStorage", DType::kFloat16},
    StorageType{"torch.BFloat16Storage", DType::kBFloat16},
    StorageType{"torch.LongStorage", DType::kInt64},
    StorageType{"torch.IntStorage", DType::kInt32},
    StorageType{"torch.ShortStorage", DType::kInt16},
    StorageType{"torch.CharStorage", DType::kInt8},
    StorageType{"torch.ByteStorage", DType::kUInt8},
    StorageType{"torch.BoolStorage", DType::kBool},
    StorageType{"torch.QInt8Storage", DType::kInt8},
    StorageType{"torch.QUInt8Storage", DType::kUInt8},
    StorageType{"torch.QInt32Storage", DType::kInt32},
    StorageType{"torch.ComplexFloatStorage", DType::kComplex64},
    StorageType{"torch.ComplexDoubleStorage", DType::kComplex128}};

}  // namespace opscope::torchscript

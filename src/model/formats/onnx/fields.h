// Fields of the ONNX messages (onnx.proto of ONNX 1.23): number and wire type in one key, so that
// a field of another type than the specification's is skipped like any unknown one.
#pragma once

#include <cstdint>

#include "base/wire.h"

namespace opscope::onnx {

constexpr std::uint32_t Key(std::uint32_t number, WireType type) {
  return number << 3 | static_cast<std::uint32_t>(type);
}
inline std::uint32_t Key(const WireField& field) { return Key(field.number, field.type); }
constexpr std::uint32_t Number(std::uint32_t number) { return Key(number, WireType::kVarint); }
constexpr std::uint32_t Bytes(std::uint32_t number) { return Key(number, WireType::kBytes); }
constexpr std::uint32_t Float(std::uint32_t number) { return Key(number, WireType::kFixed32); }
constexpr std::uint32_t Double(std::uint32_t number) { return Key(number, WireType::kFixed64); }

namespace model_proto {
constexpr std::uint32_t kIrVersion = Number(1), kProducerName = Bytes(2),
                        kProducerVersion = Bytes(3), kGraph = Bytes(7), kOpsetImport = Bytes(8),
                        kMetadataProps = Bytes(14), kFunctions = Bytes(25);
}
namespace graph_proto {
constexpr std::uint32_t kNode = Bytes(1), kName = Bytes(2), kInitializer = Bytes(5),
                        kInput = Bytes(11), kOutput = Bytes(12), kValueInfo = Bytes(13),
                        kSparseInitializer = Bytes(15);
}
namespace node_proto {
constexpr std::uint32_t kInput = Bytes(1), kOutput = Bytes(2), kName = Bytes(3), kOpType = Bytes(4),
                        kAttribute = Bytes(5), kDomain = Bytes(7), kOverload = Bytes(8),
                        kMetadataProps = Bytes(9);
}
namespace attribute_proto {
constexpr std::uint32_t kName = Bytes(1), kF = Float(2), kI = Number(3), kS = Bytes(4),
                        kT = Bytes(5), kG = Bytes(6), kFloats = Float(7), kFloatsPacked = Bytes(7),
                        kInts = Number(8), kIntsPacked = Bytes(8), kStrings = Bytes(9),
                        kTensors = Bytes(10), kGraphs = Bytes(11), kTp = Bytes(14),
                        kTypeProtos = Bytes(15), kType = Number(20), kRefAttrName = Bytes(21),
                        kSparseTensor = Bytes(22), kSparseTensors = Bytes(23);
}
namespace tensor_proto {
constexpr std::uint32_t kDims = Number(1), kDimsPacked = Bytes(1), kDataType = Number(2),
                        kFloatData = Float(4), kFloatDataPacked = Bytes(4), kInt32Data = Number(5),
                        kInt32DataPacked = Bytes(5), kStringData = Bytes(6), kInt64Data = Number(7),
                        kInt64DataPacked = Bytes(7), kName = Bytes(8), kRawData = Bytes(9),
                        kDoubleData = Double(10), kDoubleDataPacked = Bytes(10),
                        kUint64Data = Number(11), kUint64DataPacked = Bytes(11),
                        kExternalData = Bytes(13), kDataLocation = Number(14);
}
namespace sparse_tensor_proto {
constexpr std::uint32_t kValues = Bytes(1), kIndices = Bytes(2), kDims = Number(3),
                        kDimsPacked = Bytes(3);
}
namespace value_info_proto {
constexpr std::uint32_t kName = Bytes(1), kType = Bytes(2);
}
namespace type_proto {
constexpr std::uint32_t kTensorType = Bytes(1), kSequenceType = Bytes(4), kMapType = Bytes(5),
                        kSparseTensorType = Bytes(8), kOptionalType = Bytes(9);
// Of TypeProto.Tensor and SparseTensor; Sequence and Optional hold a TypeProto in field 1, Map
// in 2.
constexpr std::uint32_t kElemType = Number(1), kShape = Bytes(2), kInner = Bytes(1),
                        kMapValue = Bytes(2);
}  // namespace type_proto
namespace shape_proto {
constexpr std::uint32_t kDim = Bytes(1), kDimValue = Number(1), kDimParam = Bytes(2);
}
namespace function_proto {
constexpr std::uint32_t kName = Bytes(1), kInput = Bytes(4), kOutput = Bytes(5),
                        kAttribute = Bytes(6), kNode = Bytes(7), kOpsetImport = Bytes(9),
                        kDomain = Bytes(10), kAttributeProto = Bytes(11), kValueInfo = Bytes(12),
                        kOverload = Bytes(13);
}
namespace opset_proto {
constexpr std::uint32_t kDomain = Bytes(1), kVersion = Number(2);
}
namespace entry_proto {
constexpr std::uint32_t kKey = Bytes(1), kValue = Bytes(2);
}

}  // namespace opscope::onnx

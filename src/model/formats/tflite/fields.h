// Slots of the fields of TFLite's schema (version 3, file identifier "TFL3") that are read.
#pragma once

namespace opscope::tflite {

namespace model_table {
constexpr int kVersion = 0, kOperatorCodes = 1, kSubgraphs = 2, kDescription = 3, kBuffers = 4,
              kMetadata = 6, kSignatures = 7, kExternalGroups = 8, kExternalBuffers = 9;
}
namespace operator_code {
constexpr int kDeprecatedCode = 0, kCustomCode = 1, kVersion = 2, kCode = 3;
}
namespace subgraph_table {
constexpr int kTensors = 0, kInputs = 1, kOutputs = 2, kOperators = 3, kName = 4;
}
namespace operator_table {
constexpr int kOpcodeIndex = 0, kInputs = 1, kOutputs = 2, kOptionsType = 3, kOptions = 4,
              kCustomOptions = 5, kLargeCustomSize = 10, kOptions2Type = 11, kOptions2 = 12;
}
namespace tensor_table {
constexpr int kShape = 0, kType = 1, kBuffer = 2, kName = 3, kQuantisation = 4, kIsVariable = 5,
              kSparsity = 6, kShapeSignature = 7, kHasRank = 8, kExternalBuffer = 10;
}
namespace quantisation_table {
constexpr int kScale = 2, kZeroPoint = 3, kDetailsType = 4, kDetails = 5, kDimension = 6;
constexpr int kBlockwise = 2;                    // member of the union QuantizationDetails
constexpr int kBlockScales = 0, kBlockSize = 2;  // of BlockwiseQuantization
}  // namespace quantisation_table
namespace buffer_table {
constexpr int kData = 0, kOffset = 1, kSize = 2;
}
namespace external_buffer {
constexpr int kId = 0, kGroup = 1, kOffset = 2, kLength = 3;
constexpr int kGroupName = 0;
}  // namespace external_buffer
namespace metadata_table {
constexpr int kName = 0, kBuffer = 1;
}
namespace signature_table {
constexpr int kInputs = 0, kOutputs = 1, kKey = 2, kSubgraph = 4;
constexpr int kMapName = 0, kMapTensor = 1;  // of TensorMap
}  // namespace signature_table

}  // namespace opscope::tflite

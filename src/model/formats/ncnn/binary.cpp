// The form without names: little-endian 32-bit numbers.
//   7767517, layers, blobs; then for each layer its type, how many inputs and outputs, their blobs,
//   and id, value pairs up to id -233; an id of -23300 - n has a count and as many values.
#include <array>
#include <cmath>

#include "base/result.h"
#include "model/formats/ncnn/record.h"

namespace opscope::ncnn {

namespace {

// By number: the order in which ncnn's layers were added.
constexpr std::array<std::string_view, 110> kTypes = {"AbsVal",
                                                      "ArgMax",
                                                      "BatchNorm",
                                                      "Bias",
                                                      "BNLL",
                                                      "Concat",
                                                      "Convolution",
                                                      "Crop",
                                                      "Deconvolution",
                                                      "Dropout",
                                                      "Eltwise",
                                                      "ELU",
                                                      "Embed",
                                                      "Exp",
                                                      "Flatten",
                                                      "InnerProduct",
                                                      "Input",
                                                      "Log",
                                                      "LRN",
                                                      "MemoryData",
                                                      "MVN",
                                                      "Pooling",
                                                      "Power",
                                                      "PReLU",
                                                      "Proposal",
                                                      "Reduction",
                                                      "ReLU",
                                                      "Reshape",
                                                      "ROIPooling",
                                                      "Scale",
                                                      "Sigmoid",
                                                      "Slice",
                                                      "Softmax",
                                                      "Split",
                                                      "SPP",
                                                      "TanH",
                                                      "Threshold",
                                                      "Tile",
                                                      "RNN",
                                                      "LSTM",
                                                      "BinaryOp",
                                                      "UnaryOp",
                                                      "ConvolutionDepthWise",
                                                      "Padding",
                                                      "Squeeze",
                                                      "ExpandDims",
                                                      "Normalize",
                                                      "Permute",
                                                      "PriorBox",
                                                      "DetectionOutput",
                                                      "Interp",
                                                      "DeconvolutionDepthWise",
                                                      "ShuffleChannel",
                                                      "InstanceNorm",
                                                      "Clip",
                                                      "Reorg",
                                                      "YoloDetectionOutput",
                                                      "Quantize",
                                                      "Dequantize",
                                                      "Yolov3DetectionOutput",
                                                      "PSROIPooling",
                                                      "ROIAlign",
                                                      "Packing",
                                                      "Requantize",
                                                      "Cast",
                                                      "HardSigmoid",
                                                      "SELU",
                                                      "HardSwish",
                                                      "Noop",
                                                      "PixelShuffle",
                                                      "DeepCopy",
                                                      "Mish",
                                                      "StatisticsPooling",
                                                      "Swish",
                                                      "Gemm",
                                                      "GroupNorm",
                                                      "LayerNorm",
                                                      "Softplus",
                                                      "GRU",
                                                      "MultiHeadAttention",
                                                      "GELU",
                                                      "Convolution1D",
                                                      "Pooling1D",
                                                      "ConvolutionDepthWise1D",
                                                      "Convolution3D",
                                                      "ConvolutionDepthWise3D",
                                                      "Pooling3D",
                                                      "MatMul",
                                                      "Deconvolution1D",
                                                      "DeconvolutionDepthWise1D",
                                                      "Deconvolution3D",
                                                      "DeconvolutionDepthWise3D",
                                                      "Einsum",
                                                      "DeformableConv2D",
                                                      "GLU",
                                                      "Fold",
                                                      "Unfold",
                                                      "GridSample",
                                                      "CumulativeSum",
                                                      "CopyTo",
                                                      "Erf",
                                                      "Diag",
                                                      "CELU",
                                                      "Shrink",
                                                      "RMSNorm",
                                                      "Spectrogram",
                                                      "InverseSpectrogram",
                                                      "Flip",
                                                      "SDPA",
                                                      "RotaryEmbed"};

class Numbers {
 public:
  explicit Numbers(Source& source) : source_(source) {}

  Result<std::int32_t> Next() {
    std::string_view ahead = source_.Buffered(at_);
    if (ahead.size() < 4) {
      TRY_ASSIGN(ahead, source_.Window(at_, 1 << 16));
    }
    if (ahead.size() < 4)
      return Error{"ncnn.truncated", "the file ends inside a layer", AtByte(at_)};
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(ahead[i]);
    at_ += 4;
    return static_cast<std::int32_t>(value);
  }
  // A count of things that take 4 bytes each at least.
  Result<std::int32_t> Count() {
    const std::uint64_t place = at_;
    TRY_ASSIGN(const std::int32_t count, Next());
    if (count < 0 || static_cast<std::uint64_t>(count) > (source_.size() - at_) / 4)
      return Error{"ncnn.damaged",
                   "a count of " + std::to_string(count) + " in a file of " +
                       std::to_string(source_.size()) + " bytes",
                   AtByte(place)};
    return count;
  }
  std::uint64_t at() const { return at_; }

 private:
  Source& source_;
  std::uint64_t at_ = 0;
};

// Nothing says whether four bytes are an integer or a float: sizes are small, and small floats have
// the bits of large integers.
bool LooksLikeFloat(std::int32_t bits) {
  const float value = __builtin_bit_cast(float, bits);
  const float magnitude = std::fabs(value);
  return bits != -233 && bits != -234 && std::isfinite(value) && magnitude > 1e-20F &&
         magnitude < 1e20F;
}

AttributeValue ScalarOf(std::int32_t bits) {
  if (LooksLikeFloat(bits)) return __builtin_bit_cast(float, bits);
  return std::int64_t{bits};
}

Result<void> ReadParams(Numbers& numbers, Record& record) {
  constexpr std::int32_t kEnd = -233;
  constexpr std::int32_t kLists = -23300;
  for (;;) {
    TRY_ASSIGN(const std::int32_t id, numbers.Next());
    if (id == kEnd) return {};
    if (id > kLists) {
      TRY_ASSIGN(const std::int32_t value, numbers.Next());
      record.params.emplace_back(std::to_string(id), ScalarOf(value));
      continue;
    }
    TRY_ASSIGN(const std::int32_t count, numbers.Count());
    std::vector<std::int64_t> integers;
    std::vector<float> floats;
    bool floating = false;
    for (std::int32_t i = 0; i < count; ++i) {
      TRY_ASSIGN(const std::int32_t value, numbers.Next());
      floating = floating || LooksLikeFloat(value);
      integers.push_back(value);
      floats.push_back(__builtin_bit_cast(float, value));
    }
    const std::string name = std::to_string(std::int64_t{kLists} - id);
    if (floating) {
      record.params.emplace_back(name, std::move(floats));
    } else {
      record.params.emplace_back(name, std::move(integers));
    }
  }
}

Result<void> ReadBlobs(Numbers& numbers, std::int32_t count, std::vector<std::string>& names) {
  for (std::int32_t i = 0; i < count; ++i) {
    TRY_ASSIGN(const std::int32_t blob, numbers.Next());
    names.push_back(std::to_string(blob));
  }
  return {};
}

std::string TypeOf(std::int32_t number) {
  constexpr std::int32_t kCustom = 1 << 8;
  if (number >= 0 && number < static_cast<std::int32_t>(kTypes.size()))
    return std::string(kTypes[static_cast<std::size_t>(number)]);
  if (number >= kCustom && number < 2 * kCustom) return "custom" + std::to_string(number - kCustom);
  return "type" + std::to_string(number);
}

}  // namespace

Result<Layers> ReadBinary(Source& source) {
  Numbers numbers(source);
  TRY_ASSIGN(const std::int32_t magic, numbers.Next());
  if (static_cast<std::uint32_t>(magic) != kMagicNumber)
    return Error{"ncnn.damaged", "the first number is not 7767517", AtByte(0)};
  TRY_ASSIGN(const std::int32_t layers, numbers.Count());
  TRY_ASSIGN(const std::int32_t blobs, numbers.Next());
  if (layers > kMaxLayers || blobs < 0 || blobs > kMaxBlobs)
    return Error{"ncnn.too-large", "more layers or blobs than opscope takes", AtByte(4)};
  Layers out;
  for (std::int32_t i = 0; i < layers; ++i) {
    Record record;
    TRY_ASSIGN(const std::int32_t type, numbers.Next());
    record.type = TypeOf(type);
    record.name = record.type + "_" + std::to_string(i);
    TRY_ASSIGN(const std::int32_t bottoms, numbers.Count());
    TRY_ASSIGN(const std::int32_t tops, numbers.Count());
    TRY(ReadBlobs(numbers, bottoms, record.bottoms));
    TRY(ReadBlobs(numbers, tops, record.tops));
    TRY(ReadParams(numbers, record));
    out.records.push_back(std::move(record));
  }
  return out;
}

}  // namespace opscope::ncnn

// The tables of options.h, by the schema of 2026.
#include "model/formats/tflite/options.h"

namespace opscope::tflite {

namespace {

constexpr OptionField kConv2D[] = {
    {"padding", 0, FieldKind::kPadding},
    {"stride_w", 1, FieldKind::kInt},
    {"stride_h", 2, FieldKind::kInt},
    {"fused_activation_function", 3, FieldKind::kActivation},
    {"dilation_w_factor", 4, FieldKind::kInt, 1},
    {"dilation_h_factor", 5, FieldKind::kInt, 1},
    {"quantized_bias_type", 6, FieldKind::kType},
};
constexpr OptionField kDepthwiseConv2D[] = {
    {"padding", 0, FieldKind::kPadding},
    {"stride_w", 1, FieldKind::kInt},
    {"stride_h", 2, FieldKind::kInt},
    {"depth_multiplier", 3, FieldKind::kInt},
    {"fused_activation_function", 4, FieldKind::kActivation},
    {"dilation_w_factor", 5, FieldKind::kInt, 1},
    {"dilation_h_factor", 6, FieldKind::kInt, 1},
};
constexpr OptionField kConcatEmbeddings[] = {
    {"num_channels", 0, FieldKind::kInt},
    {"num_columns_per_channel", 1, FieldKind::kInts},
    {"embedding_dim_per_channel", 2, FieldKind::kInts},
};
constexpr OptionField kPool2D[] = {
    {"padding", 0, FieldKind::kPadding},   {"stride_w", 1, FieldKind::kInt},
    {"stride_h", 2, FieldKind::kInt},      {"filter_width", 3, FieldKind::kInt},
    {"filter_height", 4, FieldKind::kInt}, {"fused_activation_function", 5, FieldKind::kActivation},
};
constexpr OptionField kSVDF[] = {
    {"rank", 0, FieldKind::kInt},
    {"fused_activation_function", 1, FieldKind::kActivation},
    {"asymmetric_quantize_inputs", 2, FieldKind::kBool},
};
constexpr OptionField kRNN[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
    {"asymmetric_quantize_inputs", 1, FieldKind::kBool},
};
constexpr OptionField kFullyConnected[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
    {"weights_format", 1, FieldKind::kWeights},
    {"keep_num_dims", 2, FieldKind::kBool},
    {"asymmetric_quantize_inputs", 3, FieldKind::kBool},
    {"quantized_bias_type", 4, FieldKind::kType},
};
constexpr OptionField kSoftmax[] = {
    {"beta", 0, FieldKind::kFloat},
};
constexpr OptionField kConcatenation[] = {
    {"axis", 0, FieldKind::kInt},
    {"fused_activation_function", 1, FieldKind::kActivation},
};
constexpr OptionField kAdd[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
    {"pot_scale_int16", 1, FieldKind::kBool, 1},
};
constexpr OptionField kL2Norm[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
};
constexpr OptionField kLocalResponseNormalization[] = {
    {"radius", 0, FieldKind::kInt},
    {"bias", 1, FieldKind::kFloat},
    {"alpha", 2, FieldKind::kFloat},
    {"beta", 3, FieldKind::kFloat},
};
constexpr OptionField kLSTM[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
    {"cell_clip", 1, FieldKind::kFloat},
    {"proj_clip", 2, FieldKind::kFloat},
    {"asymmetric_quantize_inputs", 4, FieldKind::kBool},
};
constexpr OptionField kResizeBilinear[] = {
    {"align_corners", 2, FieldKind::kBool},
    {"half_pixel_centers", 3, FieldKind::kBool},
};
constexpr OptionField kCall[] = {
    {"body", 0, FieldKind::kSubgraph},
};
constexpr OptionField kReshape[] = {
    {"new_shape", 0, FieldKind::kInts},
};
constexpr OptionField kSkipGram[] = {
    {"ngram_size", 0, FieldKind::kInt},
    {"max_skip_size", 1, FieldKind::kInt},
    {"include_all_ngrams", 2, FieldKind::kBool},
};
constexpr OptionField kSpaceToDepth[] = {
    {"block_size", 0, FieldKind::kInt},
};
constexpr OptionField kMul[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
};
constexpr OptionField kGather[] = {
    {"axis", 0, FieldKind::kInt},
    {"batch_dims", 1, FieldKind::kInt},
};
constexpr OptionField kReducer[] = {
    {"keep_dims", 0, FieldKind::kBool},
};
constexpr OptionField kSub[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
    {"pot_scale_int16", 1, FieldKind::kBool, 1},
};
constexpr OptionField kDiv[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
};
constexpr OptionField kSqueeze[] = {
    {"squeeze_dims", 0, FieldKind::kInts},
};
constexpr OptionField kSequenceRNN[] = {
    {"time_major", 0, FieldKind::kBool},
    {"fused_activation_function", 1, FieldKind::kActivation},
    {"asymmetric_quantize_inputs", 2, FieldKind::kBool},
};
constexpr OptionField kStridedSlice[] = {
    {"begin_mask", 0, FieldKind::kInt},       {"end_mask", 1, FieldKind::kInt},
    {"ellipsis_mask", 2, FieldKind::kInt},    {"new_axis_mask", 3, FieldKind::kInt},
    {"shrink_axis_mask", 4, FieldKind::kInt}, {"offset", 5, FieldKind::kBool},
};
constexpr OptionField kSplit[] = {
    {"num_splits", 0, FieldKind::kInt},
};
constexpr OptionField kCast[] = {
    {"in_data_type", 0, FieldKind::kType},
    {"out_data_type", 1, FieldKind::kType},
};
constexpr OptionField kArgMax[] = {
    {"output_type", 0, FieldKind::kType},
};
constexpr OptionField kTransposeConv[] = {
    {"padding", 0, FieldKind::kPadding},
    {"stride_w", 1, FieldKind::kInt},
    {"stride_h", 2, FieldKind::kInt},
    {"fused_activation_function", 3, FieldKind::kActivation},
    {"quantized_bias_type", 4, FieldKind::kType},
};
constexpr OptionField kSparseToDense[] = {
    {"validate_indices", 0, FieldKind::kBool},
};
constexpr OptionField kShape[] = {
    {"out_type", 0, FieldKind::kType},
};
constexpr OptionField kArgMin[] = {
    {"output_type", 0, FieldKind::kType},
};
constexpr OptionField kFakeQuant[] = {
    {"min", 0, FieldKind::kFloat},
    {"max", 1, FieldKind::kFloat},
    {"num_bits", 2, FieldKind::kInt},
    {"narrow_range", 3, FieldKind::kBool},
};
constexpr OptionField kPack[] = {
    {"values_count", 0, FieldKind::kInt},
    {"axis", 1, FieldKind::kInt},
};
constexpr OptionField kOneHot[] = {
    {"axis", 0, FieldKind::kInt},
};
constexpr OptionField kUnpack[] = {
    {"num", 0, FieldKind::kInt},
    {"axis", 1, FieldKind::kInt},
};
constexpr OptionField kBidirectionalSequenceLSTM[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
    {"cell_clip", 1, FieldKind::kFloat},
    {"proj_clip", 2, FieldKind::kFloat},
    {"merge_outputs", 3, FieldKind::kBool},
    {"time_major", 4, FieldKind::kBool, 1},
    {"asymmetric_quantize_inputs", 5, FieldKind::kBool},
};
constexpr OptionField kBidirectionalSequenceRNN[] = {
    {"time_major", 0, FieldKind::kBool},
    {"fused_activation_function", 1, FieldKind::kActivation},
    {"merge_outputs", 2, FieldKind::kBool},
    {"asymmetric_quantize_inputs", 3, FieldKind::kBool},
};
constexpr OptionField kUnidirectionalSequenceLSTM[] = {
    {"fused_activation_function", 0, FieldKind::kActivation},
    {"cell_clip", 1, FieldKind::kFloat},
    {"proj_clip", 2, FieldKind::kFloat},
    {"time_major", 3, FieldKind::kBool},
    {"asymmetric_quantize_inputs", 4, FieldKind::kBool},
    {"diagonal_recurrent_tensors", 5, FieldKind::kBool},
};
constexpr OptionField kResizeNearestNeighbor[] = {
    {"align_corners", 0, FieldKind::kBool},
    {"half_pixel_centers", 1, FieldKind::kBool},
};
constexpr OptionField kLeakyRelu[] = {
    {"alpha", 0, FieldKind::kFloat},
};
constexpr OptionField kMirrorPad[] = {
    {"mode", 0, FieldKind::kMirror},
};
constexpr OptionField kSplitV[] = {
    {"num_splits", 0, FieldKind::kInt},
};
constexpr OptionField kUnique[] = {
    {"idx_out_type", 0, FieldKind::kType, 2},
};
constexpr OptionField kReverseSequence[] = {
    {"seq_dim", 0, FieldKind::kInt},
    {"batch_dim", 1, FieldKind::kInt},
};
constexpr OptionField kIf[] = {
    {"then_branch", 0, FieldKind::kSubgraph},
    {"else_branch", 1, FieldKind::kSubgraph},
};
constexpr OptionField kWhile[] = {
    {"cond", 0, FieldKind::kSubgraph},
    {"body", 1, FieldKind::kSubgraph},
};
constexpr OptionField kDepthToSpace[] = {
    {"block_size", 0, FieldKind::kInt},
};
constexpr OptionField kCumsum[] = {
    {"exclusive", 0, FieldKind::kBool},
    {"reverse", 1, FieldKind::kBool},
};
constexpr OptionField kBatchMatMul[] = {
    {"adj_x", 0, FieldKind::kBool},
    {"adj_y", 1, FieldKind::kBool},
    {"asymmetric_quantize_inputs", 2, FieldKind::kBool},
};
constexpr OptionField kCallOnce[] = {
    {"init", 0, FieldKind::kSubgraph},
};
constexpr OptionField kConv3D[] = {
    {"padding", 0, FieldKind::kPadding},
    {"stride_d", 1, FieldKind::kInt},
    {"stride_w", 2, FieldKind::kInt},
    {"stride_h", 3, FieldKind::kInt},
    {"fused_activation_function", 4, FieldKind::kActivation},
    {"dilation_d_factor", 5, FieldKind::kInt, 1},
    {"dilation_w_factor", 6, FieldKind::kInt, 1},
    {"dilation_h_factor", 7, FieldKind::kInt, 1},
};
constexpr OptionField kHashtable[] = {
    {"table_id", 0, FieldKind::kInt},
    {"key_dtype", 1, FieldKind::kType},
    {"value_dtype", 2, FieldKind::kType},
};
constexpr OptionField kVarHandle[] = {
    {"container", 0, FieldKind::kText},
    {"shared_name", 1, FieldKind::kText},
};
constexpr OptionField kRandom[] = {
    {"seed", 0, FieldKind::kLong},
    {"seed2", 1, FieldKind::kLong},
};
constexpr OptionField kGelu[] = {
    {"approximate", 0, FieldKind::kBool},
};

constexpr OptionTable kOptions1[] = {
    {1, kConv2D},
    {2, kDepthwiseConv2D},
    {3, kConcatEmbeddings},
    {5, kPool2D},
    {6, kSVDF},
    {7, kRNN},
    {8, kFullyConnected},
    {9, kSoftmax},
    {10, kConcatenation},
    {11, kAdd},
    {12, kL2Norm},
    {13, kLocalResponseNormalization},
    {14, kLSTM},
    {15, kResizeBilinear},
    {16, kCall},
    {17, kReshape},
    {18, kSkipGram},
    {19, kSpaceToDepth},
    {21, kMul},
    {23, kGather},
    {27, kReducer},
    {28, kSub},
    {29, kDiv},
    {30, kSqueeze},
    {31, kSequenceRNN},
    {32, kStridedSlice},
    {35, kSplit},
    {37, kCast},
    {40, kArgMax},
    {49, kTransposeConv},
    {50, kSparseToDense},
    {55, kShape},
    {57, kArgMin},
    {58, kFakeQuant},
    {59, kPack},
    {61, kOneHot},
    {64, kUnpack},
    {69, kBidirectionalSequenceLSTM},
    {70, kBidirectionalSequenceRNN},
    {71, kUnidirectionalSequenceLSTM},
    {74, kResizeNearestNeighbor},
    {75, kLeakyRelu},
    {77, kMirrorPad},
    {79, kSplitV},
    {80, kUnique},
    {87, kReverseSequence},
    {92, kIf},
    {93, kWhile},
    {94, kDepthToSpace},
    {101, kBatchMatMul},
    {102, kCumsum},
    {103, kCallOnce},
    {106, kConv3D},
    {107, kHashtable},
    {111, kVarHandle},
    {114, kRandom},
    {116, kGelu},
};

}  // namespace

std::span<const OptionField> OptionFields(int which, std::int64_t type) {
  const std::span<const OptionTable> tables =
      which == 2 ? StableHloOptions() : std::span<const OptionTable>(kOptions1);
  for (const OptionTable& table : tables)
    if (table.type == type) return table.fields;
  return {};
}

}  // namespace opscope::tflite

// The tables of options.h for the second union of options, by the schema of 2026.
#include "model/formats/tflite/options.h"

namespace opscope::tflite {

namespace {

constexpr OptionField kStablehloConcatenate[] = {
    {"dimension", 0, FieldKind::kLong},
};
constexpr OptionField kStablehloBroadcastInDim[] = {
    {"broadcast_dimensions", 0, FieldKind::kLongs},
};
constexpr OptionField kStablehloSlice[] = {
    {"start_indices", 0, FieldKind::kLongs},
    {"limit_indices", 1, FieldKind::kLongs},
    {"strides", 2, FieldKind::kLongs},
};
constexpr OptionField kStablehloConvolution[] = {
    {"window_strides", 0, FieldKind::kLongs},
    {"padding", 1, FieldKind::kLongs},
    {"lhs_dilation", 2, FieldKind::kLongs},
    {"rhs_dilation", 3, FieldKind::kLongs},
    {"window_reversal", 4, FieldKind::kBytes},
    {"input_batch_dimension", 5, FieldKind::kLong},
    {"input_feature_dimension", 6, FieldKind::kLong},
    {"input_spatial_dimensions", 7, FieldKind::kLongs},
    {"kernel_input_feature_dimension", 8, FieldKind::kLong},
    {"kernel_output_feature_dimension", 9, FieldKind::kLong},
    {"kernel_spatial_dimensions", 10, FieldKind::kLongs},
    {"output_batch_dimension", 11, FieldKind::kLong},
    {"output_feature_dimension", 12, FieldKind::kLong},
    {"output_spatial_dimensions", 13, FieldKind::kLongs},
    {"feature_group_count", 14, FieldKind::kLong},
    {"batch_group_count", 15, FieldKind::kLong},
};
constexpr OptionField kStablehloCustomCall[] = {
    {"call_target_name", 0, FieldKind::kText},    {"has_side_effect", 1, FieldKind::kBool},
    {"backend_config", 2, FieldKind::kText},      {"api_version", 3, FieldKind::kInt},
    {"called_computations", 4, FieldKind::kInts},
};
constexpr OptionField kStablehloReduce[] = {
    {"dimensions", 0, FieldKind::kLongs},
    {"body_subgraph_index", 1, FieldKind::kRegion},
};
constexpr OptionField kStablehloScatter[] = {
    {"indices_are_sorted", 0, FieldKind::kBool},
    {"update_window_dims", 1, FieldKind::kLongs},
    {"inserted_window_dims", 2, FieldKind::kLongs},
    {"scatter_dims_to_operand_dims", 3, FieldKind::kLongs},
    {"index_vector_dim", 4, FieldKind::kLong},
    {"unique_indices", 5, FieldKind::kBool},
    {"update_computation_subgraph_index", 6, FieldKind::kRegion},
};
constexpr OptionField kStablehloCompare[] = {
    {"comparison_direction", 0, FieldKind::kCompare},
    {"compare_type", 1, FieldKind::kUInt},
};
constexpr OptionField kStablehloDynamicSlice[] = {
    {"slice_sizes", 0, FieldKind::kLongs},
};
constexpr OptionField kStablehloPad[] = {
    {"edge_padding_low", 0, FieldKind::kLongs},
    {"edge_padding_high", 1, FieldKind::kLongs},
    {"interior_padding", 2, FieldKind::kLongs},
};
constexpr OptionField kStablehloIota[] = {
    {"iota_dimension", 0, FieldKind::kLong},
};
constexpr OptionField kStablehloDotGeneral[] = {
    {"lhs_batching_dimensions", 0, FieldKind::kLongs},
    {"rhs_batching_dimensions", 1, FieldKind::kLongs},
    {"lhs_contracting_dimensions", 2, FieldKind::kLongs},
    {"rhs_contracting_dimensions", 3, FieldKind::kLongs},
};
constexpr OptionField kStablehloReduceWindow[] = {
    {"window_dimensions", 0, FieldKind::kLongs}, {"window_strides", 1, FieldKind::kLongs},
    {"base_dilations", 2, FieldKind::kLongs},    {"window_dilations", 3, FieldKind::kLongs},
    {"padding", 4, FieldKind::kLongs},           {"body_subgraph_index", 5, FieldKind::kRegion},
};
constexpr OptionField kStablehloSort[] = {
    {"dimension", 0, FieldKind::kLong},
    {"is_stable", 1, FieldKind::kBool},
    {"comparator_subgraph_index", 2, FieldKind::kRegion},
};
constexpr OptionField kStablehloWhile[] = {
    {"cond", 0, FieldKind::kSubgraph},
    {"body", 1, FieldKind::kSubgraph},
};
constexpr OptionField kStablehloGather[] = {
    {"offset_dims", 0, FieldKind::kLongs},     {"collapsed_slice_dims", 1, FieldKind::kLongs},
    {"start_index_map", 2, FieldKind::kLongs}, {"index_vector_dim", 3, FieldKind::kLong},
    {"slice_sizes", 4, FieldKind::kLongs},     {"indices_are_sorted", 5, FieldKind::kBool},
};
constexpr OptionField kStablehloTranspose[] = {
    {"permutation", 0, FieldKind::kLongs},
};
constexpr OptionField kReduceWindow[] = {
    {"reduce_function", 0, FieldKind::kWindow},
};
constexpr OptionField kStableHLOComposite[] = {
    {"name", 0, FieldKind::kText},
    {"decomposition", 1, FieldKind::kSubgraph},
};

constexpr OptionTable kOptions2[] = {
    {1, kStablehloConcatenate},   {2, kStablehloBroadcastInDim}, {3, kStablehloSlice},
    {4, kStablehloConvolution},   {5, kStablehloCustomCall},     {6, kStablehloReduce},
    {7, kStablehloScatter},       {8, kStablehloCompare},        {9, kStablehloDynamicSlice},
    {10, kStablehloPad},          {11, kStablehloIota},          {12, kStablehloDotGeneral},
    {13, kStablehloReduceWindow}, {14, kStablehloSort},          {15, kStablehloWhile},
    {16, kStablehloGather},       {17, kStablehloTranspose},     {20, kReduceWindow},
    {21, kStableHLOComposite},
};

}  // namespace

std::span<const OptionTable> StableHloOptions() { return kOptions2; }

}  // namespace opscope::tflite

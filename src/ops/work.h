// Work: what one execution of an op computes, reduced to a kind of arithmetic. Ops of every
// dialect reduce to these; only `cost` counts. A convention is a weighting of counts, never a
// second counter.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "model/dim.h"
#include "model/dtype.h"

namespace opscope::work {

// Which inputs are multiplied with each other (their dtypes key the MACs by type).
struct Operands {
  int activation = 0;
  int weight = 1;
  // What the weight's bytes hold where the format packs it into another dtype (MatMulNBits: 4-bit
  // numbers in uint8); else the tensor's own dtype counts.
  DType packed = DType::kUnknown;
};

// What a fused op does to every output after the sum. Counted by the element-wise table.
struct Epilogue {
  std::string activation;  // an op of ai.onnx ("Relu"), or empty
  bool addition = false;   // another tensor is added (FusedConv's Z)
};

// Conv in any rank. macs = batch * out_channels * out_points * in_per_group * kernel_points.
struct Convolution {
  Dim batch, out_channels, out_points, in_per_group, kernel_points;
  bool bias = false;  // one add per output element
  Operands operands = {};
  Epilogue then = {};
};
// Counted by INPUT size: every input point is multiplied once with each tap.
// macs = batch * in_channels * in_points * out_per_group * kernel_points.
struct TransposedConvolution {
  Dim batch, in_channels, in_points, out_per_group, kernel_points;
  Dim outputs;
  bool bias = false;
  Operands operands = {};
  Epilogue then = {};
};
// macs = batch * m * n * k; `batch` is the product of the broadcast leading dims.
struct MatrixProduct {
  Dim batch, m, n, k;
  bool bias = false;  // one add per output element
  Operands operands = {};
  Epilogue then = {};
};
// Einsum: pairwise contractions in the stated order; macs is their sum.
struct Contraction {
  Dim macs;
  std::string order;  // "(ab,bc->ac),(ac,cd->ad)"
  Dim elements = 0;   // of what the op's row of the element-wise table is a multiple
};
// LSTM (gates 4), GRU (3), RNN (1).
// macs = steps * batch * directions * (gates * hidden * (input + state) + hidden * projection).
struct Recurrence {
  Dim steps, batch, directions, hidden, input;
  int gates = 1;
  bool bias = false;
  Operands operands = {};
  // Size of the state handed on, where a projection makes it another than `hidden`.
  std::optional<Dim> projection = std::nullopt;
};
// macs = batch * query_heads * q_length * kv_length * (head + value_head) + projection, full
// square: neither `causal` nor `window` is taken out.
struct Attention {
  Dim batch, query_heads, q_length, kv_length, head, value_head;
  Dim kv_heads = {};  // of keys and values, and so of the cache; divides query_heads
  Dim past = 0;       // the part of kv_length that lies in the cache already
  bool causal = false;
  std::optional<Dim> window = std::nullopt;  // a query sees at most so many keys
  // Ops that make queries, keys and values from their input themselves (com.microsoft.Attention).
  Dim projection = 0;       // multiply-accumulates
  Dim projection_bias = 0;  // additions
  Operands operands = {};
};
// Mixture of experts: a token goes through `active` of `experts` networks, each a product into
// `inner` and one back, with a third product where a gate multiplies the first.
// macs = tokens * active * products * hidden * inner.
struct Experts {
  Dim tokens, experts, active, hidden, inner;
  int products = 2;
  bool bias = false;
  Operands operands = {};
  std::string activation = {};  // an op of ai.onnx on every inner element
};
// One application of the op's scalar function per output element; weights in data/elementwise.toml
// under the op's name.
struct Elementwise {
  Dim outputs;
  int operands = 1;  // of variadic ops (Sum, Max …): operands - 1 applications per output
  // Every output element hangs on the elements at its own place alone, so that the output may be
  // written over an operand of its size. Not so for LRN, CumSum, rotary embedding.
  bool pointwise = false;
  Epilogue then = {};
};
struct Reduction {
  Dim inputs, outputs;
};
struct Pooling {
  Dim outputs, kernel_points;
  bool maximum = false;  // compares; else it adds
  Epilogue then = {};
};
struct Resampling {
  Dim outputs;
  std::string mode;  // nearest, linear, cubic
};
// rows * n elements; statistics over n. `folded` = statistics given (BatchNormalization).
struct Normalisation {
  Dim rows, n;
  bool affine = false;
  bool folded = false;
  bool centred = true;    // the mean is taken out; false for RMS and Lp norms
  std::string mode = {};  // picks a row of the table ("silu": GroupNorm with an activation)
};
struct Softmax {
  Dim rows, n;
};
// Bytes only: Transpose, Concat, Slice, Pad, Expand, Tile, Split … `read_bytes` = what it reads of
// input 0 where that is not all of it (Slice).
struct Movement {
  std::optional<Dim> read_bytes = std::nullopt;
  bool pointwise = false;  // as above: Cast
};
// Bytes only, data-dependent addresses. `read_bytes` = what a Gather reads of its data; none = all.
struct GatherScatter {
  std::optional<Dim> read_bytes = std::nullopt;
  DType packed = DType::kUnknown;  // as in Operands, of the data
};
// The output shows the bytes of input 0.
struct View {};
struct Quantise {
  Dim outputs;
};
struct ControlFlow {};
// Nothing at run time: constants, folded shape arithmetic.
struct Nothing {};
struct Unknown {
  std::string reason;
};

}  // namespace opscope::work

namespace opscope {

using Work =
    std::variant<work::Unknown, work::Convolution, work::TransposedConvolution, work::MatrixProduct,
                 work::Contraction, work::Recurrence, work::Attention, work::Elementwise,
                 work::Reduction, work::Pooling, work::Resampling, work::Normalisation,
                 work::Softmax, work::Movement, work::GatherScatter, work::View, work::Quantise,
                 work::ControlFlow, work::Nothing, work::Experts>;

}  // namespace opscope

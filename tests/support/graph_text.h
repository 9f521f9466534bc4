// ONNX models written as a few lines of text, for tests that show their input.
//
//   opset 17                                # default 17; also: opset com.microsoft 1
//   producer "pytorch" "2.1.0"              # also: ir 8   graph-name "g"   metadata "key" "value"
//   input x float32 [N,3,32,32]             # dims: number, symbol, "odd symbol", ? for neither
//   input s sequence(float32 [?])           # optional(..) sparse(..) map(int64, ..); [*] = no
//   shape init w float32 [16,3,3,3]               # zeros as raw_data init k int64 [2] = 1 2 #
//   values as raw_data init t float32 [2] typed = 1 0.5        # in the typed field; `typed
//   unpacked`: not packed init e float32 [9,9] external "w.bin" 0 324     # offset and length may
//   be left out init b float32 [9,9] bytes 100          # raw_data of 100 zero bytes; `none`: no
//   data at all sparse-init p float32 [4,4] nnz 3       # a SparseTensorProto tensor c int64 [2] =
//   1 2                # for attributes only value t float32 [1,2]                   # value_info
//   node Conv (x, w, ) -> (y) name="c" pads=[1,1,1,1] alpha=0.5 auto_pad="SAME_UPPER"
//   node Constant () -> (k2) value=init:c   # init:NAME of any init, tensor or sparse-init line
//   node If (cond) -> (z) then_branch=graph:g1 else_branch=graph:g2
//   node Foo (y) -> (q) domain="com.acme" overload="o" type=type(float32 [2]) meta:key="value"
//   output y float32 [?]
//   graph g1                                # a body: input, output, init, value and node lines
//   ..
//   end
//   function com.acme Foo (a,b) -> (c) attrs(alpha, beta=1) opset 17
//   node Elu (a) -> (c) alpha=@alpha        # a reference to the caller's attribute
//   end
//
// Lists of attributes: [1,2] [0.5,1.0] ["a","b"] [graph:a, graph:b] [init:a]. A number is a FLOAT
// when it has a point or an exponent, or is nan or inf. Elements of float16, bfloat16, float8 and
// float4 are bit patterns (0x3f80); those of complex types are two numbers each. Names with odd
// characters stand in quotes, with \" \\ \n \xHH inside. `#` begins a comment.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace opscope {

// The model's bytes. Errors: graph-text.syntax with the line.
Result<std::string> OnnxFromText(std::string_view text);

}  // namespace opscope

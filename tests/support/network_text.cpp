#include "support/network_text.h"

#include <initializer_list>
#include <string_view>

namespace opscope {

namespace {

using Names = std::initializer_list<std::string>;

class Writer {
 public:
  explicit Writer(int opset) { Line("opset " + std::to_string(opset)); }

  void Line(const std::string& line) { text_ += line + "\n"; }
  std::string Take() { return std::move(text_); }

  std::string Weight(const std::string& dims, const std::string& dtype = "float32") {
    const std::string name = Fresh("w");
    Line("init " + name + " " + dtype + " [" + dims + "] none");
    return name;
  }
  // A vector of numbers, or one number.
  std::string Ints(const std::string& values, int count) {
    return Values("int64 [" + std::to_string(count) + "] = " + values);
  }
  std::string Int(const std::string& value) { return Values("int64 [] = " + value); }
  std::string Float(const std::string& value) { return Values("float32 [] = " + value); }
  std::string Values(const std::string& text) {
    const std::string name = Fresh("c");
    Line("init " + name + " " + text);
    return name;
  }

  std::string Op(const std::string& op, Names inputs, const std::string& attributes = "") {
    const std::string out = Fresh("t");
    Node(op, inputs, out, attributes);
    return out;
  }
  void Node(const std::string& op, Names inputs, const std::string& out,
            const std::string& attributes = "") {
    std::string list;
    for (const std::string& input : inputs) list += (list.empty() ? "" : ", ") + input;
    Line("node " + op + " (" + list + ") -> (" + out + ") " + attributes);
  }

  // Size `axis` of a tensor, as a number and as a vector of one.
  std::string Size(const std::string& of, int axis) {
    return Op("Gather", {Op("Shape", {of}), Int(std::to_string(axis))});
  }
  std::string Listed(const std::string& number) { return Op("Unsqueeze", {number, Ints("0", 1)}); }
  std::string Join(Names vectors) { return Op("Concat", vectors, "axis=0"); }
  std::string Linear(const std::string& x, int in, int out) {
    const std::string product =
        Op("MatMul", {x, Weight(std::to_string(in) + "," + std::to_string(out))});
    return Op("Add", {product, Weight(std::to_string(out))});
  }
  std::string LayerNorm(const std::string& x, int width) {
    const std::string size = std::to_string(width);
    return Op("LayerNormalization", {x, Weight(size), Weight(size)}, "axis=-1");
  }
  // [batch, length, width] -> [batch, heads, length, width / heads]
  std::string Heads(const std::string& x, int heads, int size) {
    const std::string shape = Join({Listed(Size(x, 0)), Listed(Size(x, 1)),
                                    Ints(std::to_string(heads), 1), Ints(std::to_string(size), 1)});
    return Op("Transpose", {Op("Reshape", {x, shape})}, "perm=[0,2,1,3]");
  }
  // … and back.
  std::string Merge(const std::string& x) {
    const std::string y = Op("Transpose", {x}, "perm=[0,2,1,3]");
    return Op("Reshape", {y, Ints("0 0 -1", 3)});
  }

 private:
  std::string Fresh(const char* kind) { return kind + std::to_string(++count_); }

  std::string text_;
  int count_ = 0;
};

std::string Gelu(Writer& w, const std::string& x) {
  const std::string erf = w.Op("Erf", {w.Op("Div", {x, w.Float("1.4142135")})});
  return w.Op("Mul", {w.Op("Mul", {x, w.Op("Add", {erf, w.Float("1.0")})}), w.Float("0.5")});
}

// softmax(q k^T / sqrt(size) + mask) v; `mask` may be empty.
std::string Attend(Writer& w, const std::string& q, const std::string& k, const std::string& v,
                   const std::string& mask) {
  const std::string turned = w.Op("Transpose", {k}, "perm=[0,1,3,2]");
  std::string scores = w.Op("Div", {w.Op("MatMul", {q, turned}), w.Float("8.0")});
  if (!mask.empty()) scores = w.Op("Add", {scores, mask});
  return w.Op("MatMul", {w.Op("Softmax", {scores}, "axis=-1"), v});
}

std::string RmsNorm(Writer& w, const std::string& x, int width) {
  const std::string square = w.Op("Pow", {x, w.Float("2.0")});
  const std::string mean = w.Op("ReduceMean", {square}, "axes=[-1] keepdims=1");
  const std::string root = w.Op("Sqrt", {w.Op("Add", {mean, w.Float("0.00001")})});
  return w.Op("Mul", {w.Weight(std::to_string(width)), w.Op("Div", {x, root})});
}

}  // namespace

std::string DynamicBert() {
  constexpr int kWidth = 256, kHeads = 4, kInner = 1024, kLayers = 4;
  Writer w(17);
  for (const char* name : {"input_ids", "attention_mask", "token_type_ids"})
    w.Line(std::string("input ") + name + " int64 [batch,seq]");
  const std::string lifted = w.Op("Unsqueeze", {"attention_mask", w.Ints("1 2", 2)});
  const std::string open = w.Op("Sub", {w.Float("1.0"), w.Op("Cast", {lifted}, "to=1")});
  const std::string mask = w.Op("Mul", {open, w.Float("-10000.0")});
  std::string x = w.Op("Add", {w.Op("Gather", {w.Weight("8000,256"), "input_ids"}),
                               w.Op("Gather", {w.Weight("2,256"), "token_type_ids"})});
  const std::string length = w.Listed(w.Size("input_ids", 1));
  const std::string places =
      w.Op("Slice", {w.Weight("1,512", "int64"), w.Ints("0", 1), length, w.Ints("1", 1)});
  x = w.LayerNorm(w.Op("Add", {x, w.Op("Gather", {w.Weight("512,256"), places})}), kWidth);
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string q = w.Heads(w.Linear(x, kWidth, kWidth), kHeads, kWidth / kHeads);
    const std::string k = w.Heads(w.Linear(x, kWidth, kWidth), kHeads, kWidth / kHeads);
    const std::string v = w.Heads(w.Linear(x, kWidth, kWidth), kHeads, kWidth / kHeads);
    const std::string mixed = w.Linear(w.Merge(Attend(w, q, k, v, mask)), kWidth, kWidth);
    x = w.LayerNorm(w.Op("Add", {mixed, x}), kWidth);
    const std::string inner = Gelu(w, w.Linear(x, kWidth, kInner));
    x = w.LayerNorm(w.Op("Add", {w.Linear(inner, kInner, kWidth), x}), kWidth);
  }
  const std::string first = w.Op("Gather", {x, w.Int("0")}, "axis=1");
  const std::string pooled =
      w.Op("Gemm", {first, w.Weight("256,256"), w.Weight("256")}, "transB=1");
  w.Node("Tanh", {pooled}, "pooled");
  w.Line("output " + x + " float32\noutput pooled float32");
  return w.Take();
}

std::string DynamicGpt2() {
  constexpr int kWidth = 128, kHeads = 4, kSize = 32, kLayers = 2;
  Writer w(17);
  w.Line("input input_ids int64 [batch,seq]");
  const std::string bias = w.Weight("1,1,1024,1024", "bool");
  for (int layer = 0; layer < kLayers; ++layer)
    for (const char* kind : {"key", "value"})
      w.Line("input past_" + std::string(kind) + std::to_string(layer) +
             " float32 [batch,4,past,32]");
  const std::string past = w.Size("past_key0", 2);
  const std::string total = w.Op("Add", {past, w.Size("input_ids", 1)});
  const std::string places = w.Op("Range", {past, total, w.Int("1")});
  std::string x = w.Op("Add", {w.Op("Gather", {w.Weight("1000,128"), "input_ids"}),
                               w.Op("Gather", {w.Weight("1024,128"), places})});
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string number = std::to_string(layer);
    const std::string joint = w.Linear(w.LayerNorm(x, kWidth), kWidth, 3 * kWidth);
    w.Line("node Split (" + joint + ") -> (q" + number + ", k" + number + ", v" + number +
           ") axis=2");
    const std::string q = w.Heads("q" + number, kHeads, kSize);
    w.Node("Concat", {"past_key" + number, w.Heads("k" + number, kHeads, kSize)}, "key" + number,
           "axis=2");
    w.Node("Concat", {"past_value" + number, w.Heads("v" + number, kHeads, kSize)},
           "value" + number, "axis=2");
    const std::string turned = w.Op("Transpose", {"key" + number}, "perm=[0,1,3,2]");
    const std::string scores = w.Op("Div", {w.Op("MatMul", {q, turned}), w.Float("5.6")});
    // bias[:, :, total - seq : total, : total]
    const std::string all = w.Size(scores, 3);
    const std::string from = w.Op("Sub", {all, w.Size(scores, 2)});
    const std::string rows =
        w.Op("Slice", {bias, w.Listed(from), w.Listed(all), w.Ints("2", 1), w.Ints("1", 1)});
    const std::string seen =
        w.Op("Slice", {rows, w.Ints("0", 1), w.Listed(all), w.Ints("3", 1), w.Ints("1", 1)});
    const std::string masked = w.Op("Where", {seen, scores, w.Float("-10000.0")});
    const std::string mixed =
        w.Op("MatMul", {w.Op("Softmax", {masked}, "axis=-1"), "value" + number});
    x = w.Op("Add", {x, w.Linear(w.Merge(mixed), kWidth, kWidth)});
    const std::string inner = Gelu(w, w.Linear(w.LayerNorm(x, kWidth), kWidth, 4 * kWidth));
    x = w.Op("Add", {x, w.Linear(inner, 4 * kWidth, kWidth)});
    w.Line("output key" + number + " float32\noutput value" + number + " float32");
  }
  w.Node("MatMul", {w.LayerNorm(x, kWidth), w.Weight("128,1000")}, "logits");
  w.Line("output logits float32");
  return w.Take();
}

namespace {

constexpr int kKeyHeads = 2, kQueryHeads = 8, kHeadSize = 16;

// Each key or value head as often as query heads share it, the way torch exports `expand`: -1 in
// the wanted shape stands for the size at hand.
std::string RepeatHeads(Writer& w, const std::string& x) {
  const std::string wanted = w.Join({w.Listed(w.Size(x, 0)), w.Ints("2", 1), w.Ints("4", 1),
                                     w.Listed(w.Size(x, 2)), w.Ints("16", 1)});
  const std::string rank = w.Op("Shape", {wanted});
  const std::string ones = w.Op("ConstantOfShape", {rank}, "value=init:one");
  const std::string minus = w.Op("Mul", {ones, w.Int("-1")});
  const std::string chosen = w.Op("Where", {w.Op("Equal", {wanted, minus}), ones, wanted});
  const std::string wide = w.Op("Expand", {w.Op("Unsqueeze", {x, w.Ints("2", 1)}), chosen});
  const std::string flat =
      w.Join({w.Listed(w.Size(x, 0)), w.Ints("8", 1), w.Listed(w.Size(x, 2)), w.Ints("16", 1)});
  return w.Op("Reshape", {wide, flat});
}

// x cos + rotate_half(x) sin
std::string Rotate(Writer& w, const std::string& x, const std::string& cos,
                   const std::string& sin) {
  const std::string half = w.Op("Div", {w.Size(x, 3), w.Int("2")});
  const std::string axis = w.Ints("3", 1);
  const std::string left = w.Op("Slice", {x, w.Ints("0", 1), w.Listed(half), axis});
  const std::string right =
      w.Op("Slice", {x, w.Listed(half), w.Ints("9223372036854775807", 1), axis});
  const std::string turned = w.Op("Concat", {w.Op("Neg", {right}), left}, "axis=-1");
  return w.Op("Add", {w.Op("Mul", {x, cos}), w.Op("Mul", {turned, sin})});
}

}  // namespace

std::string DynamicLlama() {
  constexpr int kWidth = 128, kInner = 352, kLayers = 2;
  Writer w(17);
  w.Line("input input_ids int64 [batch,seq]\ninit one int64 [1] = 1");
  for (int layer = 0; layer < kLayers; ++layer)
    for (const char* kind : {"key", "value"})
      w.Line("input past_" + std::string(kind) + std::to_string(layer) +
             " float32 [batch,2,past,16]");
  const std::string past = w.Size("past_key0", 2);
  const std::string seq = w.Size("input_ids", 1);
  const std::string total = w.Op("Add", {past, seq});
  const std::string places = w.Op("Range", {past, total, w.Int("1")});
  // Causal: key j is seen by query i where j <= past + i.
  const std::string column = w.Op("Reshape", {places, w.Ints("-1 1", 2)});
  const std::string keys = w.Op("Range", {w.Int("0"), total, w.Int("1")});
  const std::string later = w.Op("Cast", {w.Op("Greater", {keys, column})}, "to=1");
  const std::string mask = w.Op("Mul", {later, w.Float("-10000.0")});
  // Angles [1, seq, 16]: positions times frequencies.
  const std::string row = w.Op("Unsqueeze", {w.Op("Cast", {places}, "to=1"), w.Ints("0 1", 2)});
  const std::string product = w.Op("MatMul", {w.Weight("1,8,1"), row});
  const std::string angle = w.Op("Transpose", {product}, "perm=[0,2,1]");
  const std::string angles = w.Op("Concat", {angle, angle}, "axis=-1");
  const std::string cos = w.Op("Unsqueeze", {w.Op("Cos", {angles}), w.Ints("1", 1)});
  const std::string sin = w.Op("Unsqueeze", {w.Op("Sin", {angles}), w.Ints("1", 1)});
  std::string x = w.Op("Gather", {w.Weight("1000,128"), "input_ids"});
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string number = std::to_string(layer);
    const std::string y = RmsNorm(w, x, kWidth);
    const auto project = [&](const char* width, int heads) {
      return w.Heads(w.Op("MatMul", {y, w.Weight("128," + std::string(width))}), heads, kHeadSize);
    };
    const std::string q = Rotate(w, project("128", kQueryHeads), cos, sin);
    const std::string k = Rotate(w, project("32", kKeyHeads), cos, sin);
    w.Node("Concat", {"past_key" + number, k}, "key" + number, "axis=2");
    w.Node("Concat", {"past_value" + number, project("32", kKeyHeads)}, "value" + number, "axis=2");
    const std::string mixed =
        Attend(w, q, RepeatHeads(w, "key" + number), RepeatHeads(w, "value" + number), mask);
    x = w.Op("Add", {x, w.Op("MatMul", {w.Merge(mixed), w.Weight("128,128")})});
    const std::string z = RmsNorm(w, x, kWidth);
    const std::string gate = w.Op("MatMul", {z, w.Weight("128," + std::to_string(kInner))});
    const std::string silu = w.Op("Mul", {gate, w.Op("Sigmoid", {gate})});
    const std::string up = w.Op("MatMul", {z, w.Weight("128," + std::to_string(kInner))});
    const std::string inner = w.Op("Mul", {silu, up});
    x = w.Op("Add", {x, w.Op("MatMul", {inner, w.Weight(std::to_string(kInner) + ",128")})});
    w.Line("output key" + number + " float32\noutput value" + number + " float32");
  }
  w.Node("MatMul", {RmsNorm(w, x, kWidth), w.Weight("128,1000")}, "logits");
  w.Line("output logits float32");
  return w.Take();
}

std::string DynamicVit() {
  constexpr int kWidth = 192, kHeads = 3, kLayers = 2;
  Writer w(17);
  w.Line("input pixels float32 [batch,3,224,224]");
  const std::string patches = w.Op("Conv", {"pixels", w.Weight("192,3,16,16"), w.Weight("192")},
                                   "strides=[16,16] kernel_shape=[16,16]");
  const std::string batch = w.Listed(w.Size(patches, 0));
  const std::string flat =
      w.Op("Reshape", {patches, w.Join({batch, w.Ints("192", 1), w.Ints("-1", 1)})});
  const std::string tokens = w.Op("Transpose", {flat}, "perm=[0,2,1]");
  const std::string shape = w.Join({batch, w.Ints("1", 1), w.Ints("192", 1)});
  const std::string first = w.Op("Expand", {w.Weight("1,1,192"), shape});
  std::string x = w.Op("Add", {w.Op("Concat", {first, tokens}, "axis=1"), w.Weight("1,197,192")});
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string y = w.LayerNorm(x, kWidth);
    const std::string q = w.Heads(w.Linear(y, kWidth, kWidth), kHeads, kWidth / kHeads);
    const std::string k = w.Heads(w.Linear(y, kWidth, kWidth), kHeads, kWidth / kHeads);
    const std::string v = w.Heads(w.Linear(y, kWidth, kWidth), kHeads, kWidth / kHeads);
    x = w.Op("Add", {x, w.Linear(w.Merge(Attend(w, q, k, v, "")), kWidth, kWidth)});
    const std::string inner = Gelu(w, w.Linear(w.LayerNorm(x, kWidth), kWidth, 4 * kWidth));
    x = w.Op("Add", {x, w.Linear(inner, 4 * kWidth, kWidth)});
  }
  const std::string head = w.Op("Gather", {w.LayerNorm(x, kWidth), w.Int("0")}, "axis=1");
  w.Node("Gemm", {head, w.Weight("1000,192"), w.Weight("1000")}, "logits", "transB=1");
  w.Line("output logits float32");
  return w.Take();
}

std::string DynamicSegmenter() {
  Writer w(17);
  w.Line("input x float32 [N,3,H,W]");
  const auto conv = [&](const std::string& x, const char* weight, const char* attributes) {
    return w.Op("Relu", {w.Op("Conv", {x, w.Weight(weight)}, attributes)});
  };
  const std::string a = conv("x", "16,3,3,3", "pads=[1,1,1,1] strides=[2,2]");
  const std::string b =
      w.Op("MaxPool", {a}, "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1");
  const std::string c = conv(b, "32,16,3,3", "pads=[2,2,2,2] dilations=[2,2]");
  const std::string d = conv(c, "32,1,5,5", "pads=[2,2,2,2] strides=[2,2] group=32");
  const std::string up =
      w.Op("Resize", {d, "", w.Values("float32 [4] = 1 1 2 2")}, "mode=\"linear\"");
  // Cropped to the size of what it is joined with.
  const std::string size = w.Op("Slice", {w.Op("Shape", {c}), w.Ints("2", 1), w.Ints("4", 1)});
  const std::string cut = w.Op("Slice", {up, w.Ints("0 0", 2), size, w.Ints("2 3", 2)});
  const std::string whole = w.Op("Slice", {w.Op("Shape", {"x"}), w.Ints("2", 1), w.Ints("4", 1)});
  const std::string halves = w.Op("Div", {whole, w.Int("2")});
  const std::string channels =
      w.Op("Slice", {w.Op("Shape", {cut}), w.Ints("0", 1), w.Ints("2", 1)});
  const std::string sizes = w.Join({channels, halves});
  const std::string wide = w.Op("Resize", {cut, "", "", sizes}, "mode=\"nearest\"");
  w.Node("Conv", {wide, w.Weight("4,32,1,1")}, "mask");
  const std::string mean = w.Op("Flatten", {w.Op("GlobalAveragePool", {c})});
  w.Node("Gemm", {mean, w.Weight("10,32"), w.Weight("10")}, "label", "transB=1");
  w.Line("output mask float32\noutput label float32");
  return w.Take();
}

std::string DynamicDetector() {
  Writer w(17);
  w.Line("input x float32 [1,3,H,W]");
  const std::string features =
      w.Op("Relu", {w.Op("Conv", {"x", w.Weight("32,3,8,8")}, "strides=[8,8] kernel_shape=[8,8]")});
  const auto rows = [&](const char* weight, const char* width) {
    const std::string map = w.Op("Conv", {features, w.Weight(weight)});
    const std::string last = w.Op("Transpose", {map}, "perm=[0,2,3,1]");
    return w.Op("Reshape", {last, w.Ints("1 -1 " + std::string(width), 3)});
  };
  const std::string boxes = rows("4,32,1,1", "4");
  const std::string scores = w.Op("Sigmoid", {rows("5,32,1,1", "5")});
  const std::string best = w.Op("ReduceMax", {scores}, "axes=[2] keepdims=0");
  const std::string places = w.Listed(w.Size(best, 1));
  const std::string k = w.Op("Min", {places, w.Ints("100", 1)});
  w.Line("node TopK (" + best + ", " + k + ") -> (top, at) axis=1");
  const std::string index = w.Op("Squeeze", {"at", w.Ints("0", 1)});
  const std::string kept = w.Op("Gather", {boxes, index}, "axis=1");
  const std::string graded = w.Op("Gather", {scores, index}, "axis=1");
  const std::string by_class = w.Op("Transpose", {graded}, "perm=[0,2,1]");
  w.Node("NonMaxSuppression", {kept, by_class, w.Int("20"), w.Float("0.5"), w.Float("0.1")},
         "chosen", "name=\"NMS\"");
  const std::string rest = w.Op("Gather", {"chosen", w.Int("2")}, "axis=1");
  const std::string found = w.Op("Gather", {w.Op("Squeeze", {kept, w.Ints("0", 1)}), rest});
  w.Node("MatMul", {found, w.Weight("4,64")}, "refined");
  w.Line("output refined float32");
  return w.Take();
}

}  // namespace opscope

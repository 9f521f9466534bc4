#include "support/model_writer.h"

#include <vector>

namespace opscope {

namespace {

template <class List>
std::string Join(const List& values, std::string_view between) {
  std::string out;
  for (const int value : values) {
    if (!out.empty()) out += between;
    out += std::to_string(value);
  }
  return out;
}

std::string Dims(std::initializer_list<int> values) { return "[" + Join(values, ",") + "]"; }

}  // namespace

std::string ModelWriter::Input(const std::string& name, const std::string& type) {
  Line("input " + name + " " + type);
  return name;
}

std::string ModelWriter::Weight(std::initializer_list<int> shape) {
  const std::string name = "w" + std::to_string(++count_);
  Line("init " + name + " float32 " + Dims(shape) + " none");
  return name;
}

std::string ModelWriter::Ints(std::initializer_list<int> values) {
  const std::string name = "i" + std::to_string(++count_);
  Line("init " + name + " int64 " + Dims({static_cast<int>(values.size())}) + " = " +
       Join(values, " "));
  return name;
}

std::string ModelWriter::Scalar(const std::string& value) {
  const std::string name = "s" + std::to_string(++count_);
  Line("init " + name + " float32 [] = " + value);
  return name;
}

std::string ModelWriter::Node(std::string_view op, std::initializer_list<std::string> inputs,
                              const std::string& attributes) {
  const std::string name = "t" + std::to_string(++count_);
  std::string list;
  for (const std::string& input : inputs) list += (list.empty() ? "" : ", ") + input;
  Line("node " + std::string(op) + " (" + list + ") -> (" + name + ") " + attributes);
  return name;
}

std::string ModelWriter::Conv(const std::string& in, int from, int to, const ConvShape& shape) {
  const int p = shape.pad;
  const std::string attributes = "pads=" + Dims({p, p, p, p}) +
                                 " strides=" + Dims({shape.stride, shape.stride}) +
                                 " group=" + std::to_string(shape.group);
  const std::string weight = Weight({to, from / shape.group, shape.kernel, shape.kernel});
  return shape.bias ? Node("Conv", {in, weight, Weight({to})}, attributes)
                    : Node("Conv", {in, weight}, attributes);
}

std::string ModelWriter::BatchNorm(const std::string& in, int channels) {
  const std::string scale = Weight({channels}), shift = Weight({channels});
  const std::string mean = Weight({channels}), variance = Weight({channels});
  return Node("BatchNormalization", {in, scale, shift, mean, variance});
}

std::string ModelWriter::MaxPool(const std::string& in, int kernel, int stride, int pad,
                                 bool ceil) {
  return Node("MaxPool", {in},
              "kernel_shape=" + Dims({kernel, kernel}) + " strides=" + Dims({stride, stride}) +
                  " pads=" + Dims({pad, pad, pad, pad}) + " ceil_mode=" + (ceil ? "1" : "0"));
}

std::string ModelWriter::AveragePool(const std::string& in, int kernel, int stride) {
  return Node("AveragePool", {in},
              "kernel_shape=" + Dims({kernel, kernel}) + " strides=" + Dims({stride, stride}));
}

std::string ModelWriter::GlobalPoolFlat(const std::string& in) {
  return Node("Flatten", {Node("GlobalAveragePool", {in})});
}

std::string ModelWriter::Gemm(const std::string& in, int from, int to) {
  const std::string weight = Weight({to, from});
  return Node("Gemm", {in, weight, Weight({to})}, "transB=1");
}

std::string ModelWriter::Linear(const std::string& in, int from, int to, bool bias) {
  const std::string product = Node("MatMul", {in, Weight({from, to})});
  return bias ? Node("Add", {Weight({to}), product}) : product;
}

std::string ModelWriter::LayerNorm(const std::string& in, int width) {
  const std::string scale = Weight({width});
  return Node("LayerNormalization", {in, scale, Weight({width})});
}

std::string ModelWriter::RmsNorm(const std::string& in, int width) {
  const std::string mean =
      Node("ReduceMean", {Node("Pow", {in, Scalar("2.0")})}, "axes=[-1] keepdims=1");
  const std::string root = Node("Sqrt", {Node("Add", {mean, Scalar("0.00001")})});
  return Node("Mul", {Weight({width}), Node("Div", {in, root})});
}

std::string ModelWriter::Heads(const std::string& in, int heads, int width,
                               const std::string& perm) {
  const std::string shaped = Node("Reshape", {in, Ints({0, 0, heads, width / heads})});
  return Node("Transpose", {shaped}, "perm=" + perm);
}

std::string ModelWriter::Attend(const std::string& q, const std::string& k, const std::string& v,
                                int width) {
  const std::string scores = Node("Div", {Node("MatMul", {q, k}), Scalar("8.0")});
  const std::string context = Node("MatMul", {Node("Softmax", {scores}), v});
  const std::string turned = Node("Transpose", {context}, "perm=[0,2,1,3]");
  return Node("Reshape", {turned, Ints({0, 0, width})});
}

std::string ModelWriter::SelfAttention(const std::string& in, int width, int heads) {
  const std::string q = Heads(Linear(in, width, width), heads, width, "[0,2,1,3]");
  const std::string k = Heads(Linear(in, width, width), heads, width, "[0,2,3,1]");
  const std::string v = Heads(Linear(in, width, width), heads, width, "[0,2,1,3]");
  return Linear(Attend(q, k, v, width), width, width);
}

std::string ModelWriter::Gelu(const std::string& in) {
  const std::string erf = Node("Erf", {Node("Div", {in, Scalar("1.41421356")})});
  const std::string scaled = Node("Mul", {in, Node("Add", {erf, Scalar("1.0")})});
  return Node("Mul", {scaled, Scalar("0.5")});
}

std::string ModelWriter::FeedForward(const std::string& in, int width, int inner) {
  return Linear(Gelu(Linear(in, width, inner)), inner, width);
}

}  // namespace opscope

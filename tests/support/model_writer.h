// Writes models as graph text (graph_text.h) layer by layer: every function adds nodes and returns
// the name of its result. Weights have shapes and no bytes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace opscope {

struct ConvShape {
  int kernel = 1;
  int stride = 1;
  int pad = 0;
  int group = 1;
  bool bias = false;
};

class ModelWriter {
 public:
  void Line(const std::string& line) { text_ += line + "\n"; }
  std::string Input(const std::string& name, const std::string& type);  // "float32 [1,3,8,8]"
  std::string Weight(std::initializer_list<int> shape);
  std::string Ints(std::initializer_list<int> values);
  std::string Scalar(const std::string& value);
  std::string Node(std::string_view op, std::initializer_list<std::string> inputs,
                   const std::string& attributes = "");

  std::string Conv(const std::string& in, int from, int to, const ConvShape& shape);
  std::string BatchNorm(const std::string& in, int channels);
  std::string ConvNorm(const std::string& in, int from, int to, const ConvShape& shape) {
    return BatchNorm(Conv(in, from, to, shape), to);
  }
  std::string Relu(const std::string& in) { return Node("Relu", {in}); }
  std::string MaxPool(const std::string& in, int kernel, int stride, int pad = 0,
                      bool ceil = false);
  std::string AveragePool(const std::string& in, int kernel, int stride);
  std::string GlobalPoolFlat(const std::string& in);
  std::string Sum(const std::string& a, const std::string& b) { return Node("Add", {a, b}); }

  // nn.Linear on two dims (Gemm) and on any rank (MatMul + Add).
  std::string Gemm(const std::string& in, int from, int to);
  std::string Linear(const std::string& in, int from, int to, bool bias = true);
  std::string LayerNorm(const std::string& in, int width);
  std::string RmsNorm(const std::string& in, int width);
  // [B,T,width] -> [B,heads,T,width/heads]; `perm` of the result's axes.
  std::string Heads(const std::string& in, int heads, int width, const std::string& perm);
  // Scores, softmax and weighted values of [B,h,T,d], [B,h,d,S], [B,h,S,d]; back to [B,T,width].
  std::string Attend(const std::string& q, const std::string& k, const std::string& v, int width);
  std::string SelfAttention(const std::string& in, int width, int heads);
  // With erf-GELU as exporters write it out.
  std::string FeedForward(const std::string& in, int width, int inner);
  std::string Gelu(const std::string& in);

  std::string Finish(const std::string& output, const std::string& type = "float32") {
    return text_ + "output " + output + " " + type + "\n";
  }

 private:
  std::string text_;
  int count_ = 0;
};

}  // namespace opscope

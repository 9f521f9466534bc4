#include "support/architectures.h"

#include <map>

#include "support/model_writer.h"

namespace opscope {

namespace {

using W = ModelWriter;

std::string Image(W& w) { return w.Input("x", "float32 [1,3,224,224]"); }

std::string Classifier(W& w, const std::string& flat, int from) {
  const std::string first = w.Relu(w.Gemm(flat, from, 4'096));
  return w.Gemm(w.Relu(w.Gemm(first, 4'096, 4'096)), 4'096, 1'000);
}

}  // namespace

std::string AlexNet() {
  W w;
  std::string at = w.Relu(w.Conv(Image(w), 3, 64, {11, 4, 2, 1, true}));
  at = w.Relu(w.Conv(w.MaxPool(at, 3, 2), 64, 192, {5, 1, 2, 1, true}));
  at = w.Relu(w.Conv(w.MaxPool(at, 3, 2), 192, 384, {3, 1, 1, 1, true}));
  at = w.Relu(w.Conv(at, 384, 256, {3, 1, 1, 1, true}));
  at = w.Relu(w.Conv(at, 256, 256, {3, 1, 1, 1, true}));
  return w.Finish(Classifier(w, w.Node("Flatten", {w.MaxPool(at, 3, 2)}), 9'216));
}

std::string Vgg(int depth, bool batch_norm) {
  const std::map<int, std::vector<int>> kConvs = {
      {11, {1, 1, 2, 2, 2}}, {13, {2, 2, 2, 2, 2}}, {16, {2, 2, 3, 3, 3}}, {19, {2, 2, 4, 4, 4}}};
  constexpr int kChannels[] = {64, 128, 256, 512, 512};
  W w;
  std::string at = Image(w);
  int from = 3;
  for (std::size_t stage = 0; stage < 5; ++stage) {
    for (int i = 0; i < kConvs.at(depth)[stage]; ++i) {
      const int to = kChannels[stage];
      at = w.Conv(at, from, to, {3, 1, 1, 1, true});
      if (batch_norm) at = w.BatchNorm(at, to);
      at = w.Relu(at);
      from = to;
    }
    at = w.MaxPool(at, 2, 2);
  }
  return w.Finish(Classifier(w, w.Node("Flatten", {at}), 25'088));
}

std::string ResNet(const ResNetShape& shape) {
  W w;
  std::string at = w.Relu(w.ConvNorm(Image(w), 3, 64, {7, 2, 3}));
  at = w.MaxPool(at, 3, 2, 1);
  const int expansion = shape.bottleneck ? 4 : 1;
  int from = 64;
  for (std::size_t stage = 0; stage < shape.blocks.size(); ++stage) {
    const int planes = 64 << stage;
    const int width = planes * shape.width_per_group / 64 * shape.groups;
    const int to = planes * expansion;
    for (int i = 0; i < shape.blocks[stage]; ++i) {
      const int stride = i == 0 && stage > 0 ? 2 : 1;
      std::string inside;
      if (shape.bottleneck) {
        inside = w.Relu(w.ConvNorm(at, from, width, {}));
        inside = w.Relu(w.ConvNorm(inside, width, width, {3, stride, 1, shape.groups}));
        inside = w.ConvNorm(inside, width, to, {});
      } else {
        inside = w.Relu(w.ConvNorm(at, from, planes, {3, stride, 1}));
        inside = w.ConvNorm(inside, planes, to, {3, 1, 1});
      }
      if (stride != 1 || from != to) at = w.ConvNorm(at, from, to, {1, stride});
      at = w.Relu(w.Sum(inside, at));
      from = to;
    }
  }
  return w.Finish(w.Gemm(w.GlobalPoolFlat(at), from, 1'000));
}

std::string ResNet(int depth) {
  const std::map<int, ResNetShape> kShapes = {{18, {{2, 2, 2, 2}, false}},
                                              {34, {{3, 4, 6, 3}, false}},
                                              {50, {{3, 4, 6, 3}}},
                                              {101, {{3, 4, 23, 3}}},
                                              {152, {{3, 8, 36, 3}}}};
  return ResNet(kShapes.at(depth));
}

std::string SqueezeNet(bool v1_1) {
  W w;
  int from = 0;
  const auto fire = [&](const std::string& in, int squeeze, int expand) {
    const std::string narrow = w.Relu(w.Conv(in, from, squeeze, {1, 1, 0, 1, true}));
    const std::string one = w.Relu(w.Conv(narrow, squeeze, expand, {1, 1, 0, 1, true}));
    const std::string three = w.Relu(w.Conv(narrow, squeeze, expand, {3, 1, 1, 1, true}));
    from = 2 * expand;
    return w.Node("Concat", {one, three}, "axis=1");
  };
  const auto pool = [&](const std::string& in) { return w.MaxPool(in, 3, 2, 0, true); };
  std::string at;
  if (v1_1) {
    at = pool(w.Relu(w.Conv(Image(w), 3, 64, {3, 2, 0, 1, true})));
    from = 64;
    at = pool(fire(fire(at, 16, 64), 16, 64));
    at = pool(fire(fire(at, 32, 128), 32, 128));
    at = fire(fire(fire(fire(at, 48, 192), 48, 192), 64, 256), 64, 256);
  } else {
    at = pool(w.Relu(w.Conv(Image(w), 3, 96, {7, 2, 0, 1, true})));
    from = 96;
    at = pool(fire(fire(fire(at, 16, 64), 16, 64), 32, 128));
    at = pool(fire(fire(fire(fire(at, 32, 128), 48, 192), 48, 192), 64, 256));
    at = fire(at, 64, 256);
  }
  at = w.Relu(w.Conv(at, 512, 1'000, {1, 1, 0, 1, true}));
  return w.Finish(w.GlobalPoolFlat(at));
}

std::string DenseNet(int depth) {
  struct Shape {
    int growth, first;
    std::vector<int> blocks;
  };
  const std::map<int, Shape> kShapes = {{161, {48, 96, {6, 12, 36, 24}}},
                                        {169, {32, 64, {6, 12, 32, 32}}},
                                        {201, {32, 64, {6, 12, 48, 32}}}};
  const Shape& shape = kShapes.at(depth);
  W w;
  const auto norm = [&](const std::string& in, int channels) {
    return w.Relu(w.BatchNorm(in, channels));
  };
  std::string at = w.Relu(w.ConvNorm(Image(w), 3, shape.first, {7, 2, 3}));
  at = w.MaxPool(at, 3, 2, 1);
  int channels = shape.first;
  for (std::size_t block = 0; block < shape.blocks.size(); ++block) {
    if (block > 0) {
      at = w.AveragePool(w.Conv(norm(at, channels), channels, channels / 2, {}), 2, 2);
      channels /= 2;
    }
    for (int i = 0; i < shape.blocks[block]; ++i) {
      const int inner = 4 * shape.growth;
      const std::string narrow = w.Conv(norm(at, channels), channels, inner, {});
      const std::string grown = w.Conv(norm(narrow, inner), inner, shape.growth, {3, 1, 1});
      at = w.Node("Concat", {at, grown}, "axis=1");
      channels += shape.growth;
    }
  }
  return w.Finish(w.Gemm(w.GlobalPoolFlat(norm(at, channels)), channels, 1'000));
}

std::string MobileNetV2() {
  struct Stage {
    int expand, channels, repeats, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  W w;
  const std::string low = w.Scalar("0.0"), high = w.Scalar("6.0");
  const auto relu6 = [&](const std::string& in) { return w.Node("Clip", {in, low, high}); };
  std::string at = relu6(w.ConvNorm(Image(w), 3, 32, {3, 2, 1}));
  int from = 32;
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.repeats; ++i) {
      const int inner = from * stage.expand;
      const int stride = i == 0 ? stage.stride : 1;
      std::string inside = at;
      if (stage.expand > 1) inside = relu6(w.ConvNorm(inside, from, inner, {}));
      inside = relu6(w.ConvNorm(inside, inner, inner, {3, stride, 1, inner}));
      inside = w.ConvNorm(inside, inner, stage.channels, {});
      at = stride == 1 && from == stage.channels ? w.Sum(inside, at) : inside;
      from = stage.channels;
    }
  }
  at = relu6(w.ConvNorm(at, from, 1'280, {}));
  return w.Finish(w.Gemm(w.GlobalPoolFlat(at), 1'280, 1'000));
}

std::string Vit(const VitShape& shape) {
  const int side = 224 / shape.patch, tokens = side * side, d = shape.width;
  W w;
  const std::string patches = w.Conv(Image(w), 3, d, {shape.patch, shape.patch, 0, 1, true});
  const std::string flat = w.Node("Reshape", {patches, w.Ints({0, d, tokens})});
  std::string at = w.Node(
      "Concat", {w.Weight({1, 1, d}), w.Node("Transpose", {flat}, "perm=[0,2,1]")}, "axis=1");
  at = w.Sum(at, w.Weight({1, tokens + 1, d}));
  for (int i = 0; i < shape.layers; ++i) {
    at = w.Sum(w.SelfAttention(w.LayerNorm(at, d), d, shape.heads), at);
    at = w.Sum(w.FeedForward(w.LayerNorm(at, d), d, 4 * d), at);
  }
  at = w.LayerNorm(at, d);
  w.Line("init first int64 [] = 0");
  return w.Finish(w.Gemm(w.Node("Gather", {at, "first"}, "axis=1"), d, 1'000));
}

namespace {

// Post-norm layers, as in BERT.
std::string Encoder(W& w, std::string at, int layers, int width, int heads) {
  for (int i = 0; i < layers; ++i) {
    at = w.LayerNorm(w.Sum(w.SelfAttention(at, width, heads), at), width);
    at = w.LayerNorm(w.Sum(w.FeedForward(at, width, 4 * width), at), width);
  }
  return at;
}

}  // namespace

std::string Bert(int layers, int width, int heads) {
  W w;
  std::string at = w.Node("Gather", {w.Weight({30'522, width}), w.Input("tokens", "int64 [1,T]")});
  at = w.Sum(at, w.Node("Gather", {w.Weight({512, width}), w.Input("positions", "int64 [1,T]")}));
  at = w.Sum(at, w.Node("Gather", {w.Weight({2, width}), w.Input("types", "int64 [1,T]")}));
  at = Encoder(w, w.LayerNorm(at, width), layers, width, heads);
  w.Line("init first int64 [] = 0");
  const std::string first = w.Node("Gather", {at, "first"}, "axis=1");
  return w.Finish(w.Node("Tanh", {w.Gemm(first, width, width)}));
}

std::string DistilBert() {
  W w;
  std::string at = w.Node("Gather", {w.Weight({30'522, 768}), w.Input("tokens", "int64 [1,T]")});
  at = w.Sum(at, w.Node("Gather", {w.Weight({512, 768}), w.Input("positions", "int64 [1,T]")}));
  at = Encoder(w, w.LayerNorm(at, 768), 6, 768, 12);
  w.Line("init first int64 [] = 0");
  const std::string first = w.Node("Gather", {at, "first"}, "axis=1");
  return w.Finish(w.Gemm(w.Relu(w.Gemm(first, 768, 768)), 768, 2));
}

std::string Gpt2(bool head) {
  constexpr int kWidth = 768, kHeads = 12;
  W w;
  const std::string embedding = w.Weight({50'257, kWidth});
  std::string at = w.Node("Gather", {embedding, w.Input("tokens", "int64 [1,T]")});
  at =
      w.Sum(at, w.Node("Gather", {w.Weight({1'024, kWidth}), w.Input("positions", "int64 [1,T]")}));
  for (int i = 0; i < 12; ++i) {
    at = w.Sum(w.SelfAttention(w.LayerNorm(at, kWidth), kWidth, kHeads), at);
    at = w.Sum(w.FeedForward(w.LayerNorm(at, kWidth), kWidth, 4 * kWidth), at);
  }
  at = w.LayerNorm(at, kWidth);
  // The head is the embedding, turned.
  if (head) at = w.Node("MatMul", {at, w.Node("Transpose", {embedding}, "perm=[1,0]")});
  return w.Finish(at);
}

namespace {

// One head dim for queries, keys and values; a key head serves heads/kv_heads query heads.
class LlamaWriter {
 public:
  LlamaWriter(const LlamaShape& shape, bool past) : shape_(shape), past_(past) {}

  std::string Write() {
    std::string at = w_.Node("Gather", {w_.Weight({shape_.vocabulary, shape_.width}),
                                        w_.Input("tokens", "int64 [1,T]")});
    cos_ = w_.Input("cos", "float32 [T," + std::to_string(head()) + "]");
    for (int i = 0; i < shape_.layers; ++i) {
      at = w_.Sum(Attention(w_.RmsNorm(at, shape_.width), i), at);
      at = w_.Sum(FeedForward(w_.RmsNorm(at, shape_.width)), at);
    }
    at = w_.RmsNorm(at, shape_.width);
    return w_.Finish(w_.Linear(at, shape_.width, shape_.vocabulary, false));
  }

 private:
  int head() const { return shape_.width / shape_.heads; }

  // [1,P,kv,head] of the cache before what is new.
  std::string Cached(const std::string& fresh, const std::string& name) {
    if (!past_) return fresh;
    const std::string type =
        "float32 [1,P," + std::to_string(shape_.kv_heads) + "," + std::to_string(head()) + "]";
    const std::string all = w_.Node("Concat", {w_.Input(name, type), fresh}, "axis=1");
    w_.Line("output " + all + " float32");
    return all;
  }
  std::string Split(const std::string& in, int heads) {
    return w_.Node("Reshape", {in, w_.Ints({0, 0, heads, head()})});
  }
  // [1,S,kv,head] -> [1,kv,1,..]: heads of a group share it by broadcasting.
  std::string Shared(const std::string& in, const std::string& perm) {
    return w_.Node("Unsqueeze", {w_.Node("Transpose", {in}, "perm=" + perm), w_.Ints({2})});
  }

  std::string Attention(const std::string& in, int layer) {
    const int kv = shape_.kv_heads * head(), group = shape_.heads / shape_.kv_heads;
    const std::string q = w_.Linear(in, shape_.width, shape_.width, false);
    const std::string grouped =
        w_.Node("Reshape", {q, w_.Ints({0, 0, shape_.kv_heads, group, head()})});
    const std::string queries = w_.Node("Transpose", {grouped}, "perm=[0,2,3,1,4]");
    const std::string n = std::to_string(layer);
    const std::string k =
        Cached(Split(w_.Linear(in, shape_.width, kv, false), shape_.kv_heads), "key" + n);
    const std::string v =
        Cached(Split(w_.Linear(in, shape_.width, kv, false), shape_.kv_heads), "value" + n);
    const std::string turned = w_.Node("Mul", {queries, cos_});
    const std::string scores = w_.Node("MatMul", {turned, Shared(k, "[0,2,3,1]")});
    const std::string weights = w_.Node("Softmax", {w_.Node("Div", {scores, w_.Scalar("8.0")})});
    const std::string context = w_.Node("MatMul", {weights, Shared(v, "[0,2,1,3]")});
    const std::string back = w_.Node("Transpose", {context}, "perm=[0,3,1,2,4]");
    return w_.Linear(w_.Node("Reshape", {back, w_.Ints({0, 0, shape_.width})}), shape_.width,
                     shape_.width, false);
  }

  std::string FeedForward(const std::string& in) {
    const std::string gate = w_.Linear(in, shape_.width, shape_.inner, false);
    const std::string silu = w_.Node("Mul", {gate, w_.Node("Sigmoid", {gate})});
    const std::string up = w_.Linear(in, shape_.width, shape_.inner, false);
    return w_.Linear(w_.Node("Mul", {silu, up}), shape_.inner, shape_.width, false);
  }

  const LlamaShape shape_;
  const bool past_;
  std::string cos_;
  W w_;
};

}  // namespace

std::string Llama(const LlamaShape& shape, bool past) { return LlamaWriter(shape, past).Write(); }

}  // namespace opscope

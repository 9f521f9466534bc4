// Well-known architectures as graph text, layer by layer, without weights. Image models take
// x float32 [1,3,224,224]; sequence models have the length T as a symbol.
#pragma once

#include <string>
#include <vector>

namespace opscope {

std::string AlexNet();
std::string Vgg(int depth, bool batch_norm = false);  // 11, 13, 16, 19

struct ResNetShape {
  std::vector<int> blocks;
  bool bottleneck = true;  // stride in the 3x3 convolution (v1.5)
  int groups = 1;
  int width_per_group = 64;
};
std::string ResNet(const ResNetShape& shape);
std::string ResNet(int depth);  // 18, 34, 50, 101, 152
std::string SqueezeNet(bool v1_1);
std::string DenseNet(int depth);  // 161, 169, 201
std::string MobileNetV2();

struct VitShape {
  int patch, layers, width, heads;
};
std::string Vit(const VitShape& shape);

std::string Bert(int layers, int width, int heads);  // with pooler
std::string DistilBert();                            // with the head of SST-2
std::string Gpt2(bool head);

struct LlamaShape {
  int layers, width, inner, heads, kv_heads, vocabulary;
};
// With the language head at all positions; `past`: one symbol more, of the tokens in the cache.
std::string Llama(const LlamaShape& shape, bool past = false);

}  // namespace opscope

// Names that TensorRT gives to what it runs, and the layers of the network that are in them.
//
//   conv1.weight + QuantizeLinear_8 + Conv_12 + PWN(Clip_16)   one after the other, as one kernel
//   Conv_3 || Conv_4                                           side by side, as one kernel
//   PWN(PWN(Sigmoid_1), Mul_2)                                 a point-wise network
//   {ForeignNode[a...b]}                                       a region; only its ends are named
//   Reformatting CopyNode for Input Tensor 0 to X              a change of layout before X
//   X input reformatter 0                                      the same in TensorRT 7
//   /MatMul_2+/MatMul_1_myl0_2, __myl_MulSum_myl4_1            kernels inside a region
//   X [profile 1]                                              of another optimisation profile
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opscope {

struct FusedPart {
  enum class Kind : std::uint8_t {
    kLayer,      // of the network, or a constant that it reads
    kPointwise,  // the same, inside PWN( )
    kMade,       // by the parser or the builder: "(Unnamed Layer* 3) [Shuffle]", "reshape_before_X"
  };
  std::string name;
  Kind kind = Kind::kLayer;
  std::string of;          // kMade: the layer that it was made for; empty = not said
  std::uint32_t lane = 0;  // of the kernels that run side by side
};

struct FusedName {
  enum class Kind : std::uint8_t {
    kLayers,    // `parts` is all of it
    kRegion,    // `parts` are its first and its last layer; what lies between is not named
    kReformat,  // `parts` are those of the layer that it serves
    kKernel,    // generated inside a region; `parts` are what its name tells, perhaps nothing
  };
  Kind kind = Kind::kLayers;
  std::vector<FusedPart> parts;
  bool output = false;        // kReformat: behind the layer, not before it
  std::uint32_t operand = 0;  // kReformat: which input or output
  std::string ops;            // kKernel: "MulSum", when that is all that is said
  std::uint32_t profile = 0;
};

// Any text; what follows no rule is one layer of that name. Linear in its length.
FusedName ParseFusedName(std::string_view text);

// "[ONNX Layer: /conv1/Conv]\x1e[ONNX Layer: /relu/Relu]" -> the names, in order and without
// repeats. Separators may be missing. Other entries are left out.
std::vector<std::string> OnnxLayersOf(std::string_view metadata);

}  // namespace opscope

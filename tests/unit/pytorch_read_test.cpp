// Files of PyTorch: archives of torch.export, captured ops, TorchScript, checkpoints; and damage.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cost/static_analysis.h"
#include "model/aten/sympy.h"
#include "model/formats/format.h"
#include "model/formats/torchscript/code.h"
#include "model/formats/torchscript/pickle.h"
#include "support/packed.h"

using namespace std::string_view_literals;

namespace opscope {
namespace {

struct Read {
  Model model;
  StaticAnalysis analysis;
  ImportLog log;
};

Result<Model> TryRead(std::string bytes, ImportLog& log) {
  Source source = Source::FromBytes("net", std::move(bytes));
  return ReadModel({source, log, {}});
}

Read Analyse(std::string bytes, PropagateOptions options = {}) {
  Read out;
  auto model = TryRead(std::move(bytes), out.log);
  if (!model.has_value()) {
    ADD_FAILURE() << model.error().ToString();
    return out;
  }
  out.model = std::move(*model);
  auto analysis = AnalyzeStatic(out.model, options, out.log);
  EXPECT_TRUE(analysis.has_value());
  if (analysis.has_value()) out.analysis = std::move(*analysis);
  return out;
}

std::string ShapeNamed(const Read& read, std::string_view name) {
  for (std::size_t t = 0; t < read.model.tensors.size(); ++t) {
    if (read.model.text(read.model.tensors[t].name) != name) continue;
    const Shape& shape = read.analysis.propagation.facts[t].shape;
    if (!shape.known_rank()) return "?";
    std::string out;
    for (const Dim dim : *shape.dims) out += (out.empty() ? "" : ",") + read.model.dims.ToText(dim);
    return out;
  }
  return "none";
}

// One op on x [2,3,8,8] and w [4,3,3,3], b [4]: the shape that it gives to y, which the text leaves
// open.
std::string ShapeOf(const std::string& target, const std::string& arguments) {
  const std::string text = R"({"opscope": "aten", "version": 1, "graph": {
    "inputs": [{"as_tensor": {"name": "x"}}, {"as_tensor": {"name": "w"}}],
    "outputs": [{"as_tensor": {"name": "y"}}],
    "nodes": [{"target": "torch.ops.aten.)" +
                           target + R"(", "inputs": [)" + arguments +
                           R"(], "outputs": [{"as_tensor": {"name": "y"}}]}],
    "tensor_values": {"x": {"dtype": "float32", "sizes": ["s0", 3, 8, 8]},
                      "w": {"dtype": "float32", "sizes": [4, 3, 3, 3]}}}})";
  return ShapeNamed(Analyse(text), "y");
}

std::string Tensor(const std::string& name) {
  return R"({"arg": {"as_tensor": {"name": ")" + name + R"("}}})";
}
std::string Named(const std::string& name, const std::string& value) {
  return R"(, {"name": ")" + name + R"(", "arg": )" + value + "}";
}

TEST(Aten, ShapesOfOps) {
  const std::string x = Tensor("x");
  EXPECT_EQ(
      ShapeOf("conv2d.default", x + ", " + Tensor("w") + Named("stride", R"({"as_ints": [2, 2]})") +
                                    Named("padding", R"({"as_ints": [1, 1]})")),
      "s0,4,4,4");
  EXPECT_EQ(ShapeOf("conv2d.padding",
                    x + ", " + Tensor("w") + Named("padding", R"({"as_string": "same"})")),
            "s0,4,8,8");
  EXPECT_EQ(ShapeOf("view.default", x + Named("size", R"({"as_ints": [-1, 192]})")), "s0,192");
  EXPECT_EQ(ShapeOf("permute.default", x + Named("dims", R"({"as_ints": [0, 2, 3, 1]})")),
            "s0,8,8,3");
  EXPECT_EQ(ShapeOf("mean.dim", x + Named("dim", R"({"as_ints": [2, 3]})")), "s0,3");
  EXPECT_EQ(ShapeOf("slice.Tensor", x + Named("dim", R"({"as_int": 2})") +
                                        Named("start", R"({"as_int": 1})") +
                                        Named("end", R"({"as_int": -1})")),
            "s0,3,6,8");
  EXPECT_EQ(ShapeOf("max_pool2d.default", x + Named("kernel_size", R"({"as_ints": [2, 2]})")),
            "s0,3,4,4");
  EXPECT_EQ(
      ShapeOf("adaptive_avg_pool2d.default", x + Named("output_size", R"({"as_ints": [1, 1]})")),
      "s0,3,1,1");
  EXPECT_EQ(ShapeOf("unsqueeze.default", x + Named("dim", R"({"as_int": -1})")), "s0,3,8,8,1");
  EXPECT_EQ(
      ShapeOf("upsample_nearest2d.vec", x + Named("scale_factors", R"({"as_floats": [2, 2]})")),
      "s0,3,16,16");
  EXPECT_EQ(ShapeOf("constant_pad_nd.default", x + Named("pad", R"({"as_ints": [1, 2, 3, 4]})")),
            "s0,3,15,11");
  EXPECT_EQ(ShapeOf("cat.default", R"({"arg": {"as_tensors": [{"name": "x"}, {"name": "x"}]}})" +
                                       Named("dim", R"({"as_int": 1})")),
            "s0,6,8,8");
}

TEST(Aten, SizesAsSympyWritesThem) {
  DimTable dims;
  const auto text = [&](std::string_view expression) {
    return dims.ToText(aten::ParseSympy(dims, expression));
  };
  EXPECT_EQ(text("2*s0 + 1"), "s0*2 + 1");
  EXPECT_EQ(text("Symbol('s77', positive=True, integer=True)"), "s77");
  EXPECT_EQ(text("Add(Mul(Integer(2), Symbol('s0', integer=True)), Integer(1))"), "s0*2 + 1");
  EXPECT_EQ(text("Max(1, s0)"), "max(1, s0)");
  EXPECT_EQ(text("((s0 - 1)//2) + 1"), text("FloorDiv(s0 + 1, 2)"));
  EXPECT_EQ(text("s0**2"), "s0*s0");
  EXPECT_EQ(text("import os"), "?");
  EXPECT_EQ(text(std::string(10000, '(')), "?");
}

constexpr const char* kProgram = R"({"graph_module": {"graph": {
  "inputs": [{"as_tensor": {"name": "p_w"}}, {"as_tensor": {"name": "x"}}],
  "outputs": [{"as_tensor": {"name": "linear"}}],
  "nodes": [{"target": "torch.ops.aten.linear.default",
    "inputs": [{"name": "input", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
               {"name": "weight", "arg": {"as_tensor": {"name": "p_w"}}, "kind": 1}],
    "outputs": [{"as_tensor": {"name": "linear"}}],
    "metadata": {"nn_module_stack": "L__self__,,m.Net;L__self__fc,fc,torch.nn.Linear"}}],
  "tensor_values": {"p_w": {"dtype": 7, "sizes": [{"as_int": 4}, {"as_int": 2}]},
    "x": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "s77"}}, {"as_int": 2}]},
    "linear": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "s77"}}, {"as_int": 4}]}}},
  "signature": {"input_specs": [
    {"parameter": {"arg": {"name": "p_w"}, "parameter_name": "fc.weight"}},
    {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
    "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "linear"}}}}]}},
  "range_constraints": {"s77": {"min_val": 2, "max_val": 64}},
  "torch_version": "2.13.0"})";
constexpr const char* kWeights = R"({"config": {"fc.weight": {"path_name": "weight_0",
  "use_pickle": false, "tensor_meta": {"dtype": 7, "sizes": [{"as_int": 4}, {"as_int": 2}],
  "storage_offset": {"as_int": 0}}}}})";

std::vector<ZipEntry> Archive() {
  return {{"net/data/weights/weight_0", std::string(32, 'w'), true},
          {"net/data/weights/model_weights_config.json", kWeights, true},
          {"net/models/model.json", kProgram, true}};
}

TEST(Pt2, GraphWeightsAndModules) {
  const std::string bytes = Zip(Archive());
  const Read read = Analyse(bytes);
  EXPECT_EQ(read.model.format, "pt2");
  EXPECT_EQ(read.model.producer, "torch 2.13.0");
  EXPECT_EQ(ShapeNamed(read, "linear"), "s77,4");
  ASSERT_EQ(read.model.main().initializers.size(), 1U);
  const opscope::Tensor& weight = read.model.tensor(read.model.main().initializers[0]);
  EXPECT_EQ(read.model.text(weight.name), "fc.weight");
  const Payload& payload = read.model.payload(weight.payload);
  EXPECT_EQ(bytes.substr(payload.offset, payload.length), std::string(32, 'w'));
  ASSERT_EQ(read.analysis.layers.size(), 1U);
  EXPECT_EQ(read.analysis.layers[0].scope, std::vector<std::string>{"fc"});
}

std::string CodeOf(std::string bytes) {
  ImportLog log;
  auto model = TryRead(std::move(bytes), log);
  return model.has_value() ? "read" : model.error().code;
}

TEST(Pt2, DamageIsRefused) {
  std::vector<ZipEntry> deep = Archive();
  deep[2].content = R"({"graph_module": {"graph": {"nodes": )" + std::string(1'000'000, '[');
  EXPECT_EQ(CodeOf(Zip(deep)), "json.depth");
  std::vector<ZipEntry> compiled = {{"net/data/weights/weight_0", "w", true},
                                    {"net/data/aotinductor/model/a.so", "x", true}};
  EXPECT_EQ(CodeOf(Zip(compiled)), "pt2.compiled");
  std::vector<ZipEntry> none = {{"net/data/weights/weight_0", "w", true}};
  none.push_back({"net/readme", "x", true});
  EXPECT_EQ(CodeOf(Zip(none)), "pt2.no-program");
  const std::string whole = Zip(Archive());
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    ImportLog log;
    (void)TryRead(whole.substr(0, size), log).has_value();
  }
  // The second entry of the directory points at the first member.
  std::string over = whole;
  const std::size_t first = over.find("PK\x01\x02");
  const std::size_t second = over.find("PK\x01\x02", first + 4);
  over.replace(second + 42, 4, over.substr(first + 42, 4));
  EXPECT_EQ(CodeOf(over), "input.damaged");
}

// {"fc.weight": a tensor of 4x2 in the storage "0"}, as torch.save pickles it.
std::string PickledWeight() {
  return std::string(
      "\x80\x02}X\x09\0\0\0fc.weight"
      "ctorch._utils\n_rebuild_tensor_v2\n("
      "(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0000X\x03\0\0\0cpuK\x08tQ"
      "K\0K\x04K\x02\x86K\x02K\x01\x86\x89}tRs."sv);
}

std::vector<ZipEntry> OldArchive(std::string state_dict) {
  return {{"serialized_exported_program.json", kProgram, true},
          {"serialized_state_dict.pt", std::move(state_dict), true},
          {"version", "8.2", true}};
}

// torch before 2.8 keeps its weights in an archive of torch.save inside the archive.
TEST(Pt2, WeightsOfOldArchivesLieWhereTheyLie) {
  const std::string inner = Zip({{"archive/data.pkl", PickledWeight(), true},
                                 {"archive/data/0", std::string(32, 'w'), true}});
  const std::string bytes = Zip(OldArchive(inner));
  const Read read = Analyse(bytes);
  ASSERT_EQ(read.model.main().initializers.size(), 1U);
  const Payload& payload =
      read.model.payload(read.model.tensor(read.model.main().initializers[0]).payload);
  EXPECT_EQ(payload.place, Payload::Place::kInline);
  EXPECT_EQ(bytes.substr(payload.offset, payload.length), std::string(32, 'w'));
  EXPECT_TRUE(read.log.issues().empty());
}

// What cannot be read there is noted; the graph is read all the same, and nothing is run.
TEST(Pt2, PickledWeightsThatCarryCodeOrArchives) {
  const auto noted = [](std::string state_dict) {
    const Read read = Analyse(Zip(OldArchive(std::move(state_dict))));
    EXPECT_EQ(ShapeNamed(read, "linear"), "s77,4");
    std::string codes;
    for (const auto& entry : read.log.issues()) codes += entry.code + " ";
    return codes;
  };
  const std::string both = "pt2.pickled-weights pt2.weight-missing ";
  EXPECT_EQ(noted(Zip({{"a/data.pkl", std::string("cos\nsystem\n(X\x02\0\0\0lstR."sv), true}})),
            both);
  EXPECT_EQ(noted("no archive"), both);
  std::string nest = Zip({{"a/data.pkl", PickledWeight(), true}});
  for (int i = 0; i < 50; ++i) nest = Zip({{"serialized_state_dict.pt", nest, true}});
  EXPECT_EQ(noted(nest), both);
  // A header that promises more than there is.
  std::string giant = Zip({{"a/data.pkl", PickledWeight(), true}});
  const std::size_t entry = giant.find("PK\x01\x02");
  giant.replace(entry + 20, 8, "\xff\xff\xff\x7f\xff\xff\xff\x7f");
  EXPECT_EQ(noted(giant), both);
}

TEST(Pickle, NothingIsRun) {
  const auto code = [](std::string_view bytes) {
    auto pickle = torchscript::ReadPickle(bytes);
    return pickle.has_value() ? std::string("read") : pickle.error().code;
  };
  EXPECT_EQ(code("cos\nsystem\n(X\x02\0\0\0lstR."sv), "pickle.refused");
  EXPECT_EQ(code("c__builtin__\neval\n(X\x01\0\0\0atR."sv), "pickle.refused");
  EXPECT_EQ(code("cos\nPopen\n)\x81."sv), "pickle.refused");
  EXPECT_EQ(code("i"), "pickle.refused");
  EXPECT_EQ(code(std::string(100000, '(') + "."), "pickle.damaged");
  EXPECT_EQ(code("K\x01."), "read");
  EXPECT_EQ(code(""), "pickle.damaged");
}

TEST(TorchScript, CodeIsParsed) {
  const auto file = torchscript::ParseCode(R"(class Net(Module):
  __parameters__ = ["weight", ]
  weight : Tensor
  stride : Final[Tuple[int, int]] = (1, 1)
  def forward(self: __torch__.Net,
    x: Tensor,
    hx: Optional[Tuple[Tensor, Tensor]]=None) -> Tuple[Tensor, Tensor]:
    a, b, = torch.split(x, [1, 2], 1)
    if torch.__is__(hx, None):
      c = torch.add(a, b, alpha=2)
    else:
      pass
    return (c, (self).other(b, ))
def f(x: Tensor) -> Tensor:
  return x
)");
  ASSERT_TRUE(file.has_value()) << file.error().ToString();
  const torchscript::ClassCode& net = file->classes.at("Net");
  EXPECT_EQ(net.constants.size(), 1U);
  const torchscript::FunctionCode& forward = net.methods.at("forward");
  ASSERT_EQ(forward.parameters.size(), 3U);
  EXPECT_TRUE(forward.parameters[2].has_default);
  ASSERT_EQ(forward.body.size(), 3U);
  EXPECT_EQ(forward.body[0].targets.size(), 2U);
  EXPECT_EQ(forward.body[1].body.size(), 1U);
  EXPECT_EQ(file->functions.count("f"), 1U);
  EXPECT_FALSE(torchscript::ParseCode("def f(\n").has_value());
  EXPECT_FALSE(torchscript::ParseCode("def f():\n  x = " + std::string(5000, '(')).has_value());
  std::string comments = "def f():\n  x = (";
  for (int i = 0; i < 1'000'000; ++i) comments += "#\n";
  EXPECT_TRUE(torchscript::ParseCode(comments + "1, 2)\n").has_value());
}

}  // namespace
}  // namespace opscope

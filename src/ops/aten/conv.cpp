// Convolutions. Arguments: input, weight, bias, stride, padding, dilation …
#include "ops/aten/families.h"
#include "ops/aten/form.h"

namespace opscope::aten {

namespace {

// One value stands for all spatial dims.
std::vector<std::int64_t> Spread(const OpContext& op, std::string_view name, std::size_t rank,
                                 std::int64_t otherwise) {
  std::vector<std::int64_t> values =
      IntsArg(op, name).value_or(std::vector<std::int64_t>{otherwise});
  if (values.empty()) values.push_back(otherwise);
  if (values.size() == 1) values.resize(rank, values.front());
  return values;
}

std::size_t SpatialRank(const OpContext& op) {
  const Shape& weight = op.in(1).shape;
  return weight.known_rank() && weight.rank() > 2 ? weight.rank() - 2 : 0;
}

bool IsTransposed(const OpContext& op) {
  return op.op().starts_with("conv_transpose") || FlagArg(op, "transposed");
}

// padding="same" pads before with the smaller half, as SAME_UPPER does.
void SetPadding(const OpContext& op, std::size_t rank, Form& form) {
  const std::string_view text = TextArg(op, "padding", "");
  if (!text.empty()) {
    form.Set("auto_pad", std::string(text == "same" ? "SAME_UPPER" : "VALID"));
    return;
  }
  std::vector<std::int64_t> pads = Spread(op, "padding", rank, 0);
  const std::vector<std::int64_t> once = pads;
  pads.insert(pads.end(), once.begin(), once.end());
  form.Set("pads", std::move(pads));
}

Form ConvForm(const OpContext& op) {
  const bool transposed = IsTransposed(op);
  Form form(op, transposed ? "ConvTranspose" : "Conv", {0, 1, 2});
  form.Set("group", IntArg(op, "groups", 1));
  const std::size_t rank = SpatialRank(op);
  if (rank == 0) return form;
  SetPadding(op, rank, form);
  form.Set("strides", Spread(op, "stride", rank, 1));
  form.Set("dilations", Spread(op, "dilation", rank, 1));
  if (transposed) form.Set("output_padding", Spread(op, "output_padding", rank, 0));
  return form;
}

// One picture without a batch: as a batch of one.
class Batched {
 public:
  explicit Batched(const OpContext& op) : op_(op) {
    const Shape& weight = op.in(1).shape;
    const Shape& input = op.in(0).shape;
    alone_ = weight.known_rank() && input.known_rank() && weight.rank() > 2 &&
             input.rank() + 1 == weight.rank();
    if (alone_) Change(op.FactOf(op.node().inputs[0]).shape, true);
  }
  ~Batched() {
    if (alone_) Change(op_.FactOf(op_.node().inputs[0]).shape, false);
  }
  Batched(const Batched&) = delete;
  Batched& operator=(const Batched&) = delete;
  bool alone() const { return alone_; }
  static void Change(Shape& shape, bool add) {
    if (!shape.known_rank() || (!add && shape.rank() == 0)) return;
    if (add) {
      shape.dims->insert(shape.dims->begin(), Dim(1));
    } else {
      shape.dims->erase(shape.dims->begin());
    }
  }

 private:
  const OpContext& op_;
  bool alone_ = false;
};

Result<void> InferConv(OpContext& op) {
  const Batched batched(op);
  Result<void> done = ConvForm(op).Infer();
  if (batched.alone()) Batched::Change(op.out(0).shape, false);
  return done;
}

Work ConvWork(const OpContext& op) {
  const Batched batched(op);
  if (!batched.alone() || !op.has_output(0)) return ConvForm(op).WorkOf();
  Shape& out = op.FactOf(op.node().outputs[0]).shape;
  Batched::Change(out, true);
  Work work = ConvForm(op).WorkOf();
  Batched::Change(out, false);
  return work;
}

std::string_view ConvLike(const Model& model, const Node& node) {
  const Attribute* flag = FindAttribute(model, node, "transposed");
  const auto* value = flag == nullptr ? nullptr : std::get_if<std::int64_t>(&flag->value);
  return value != nullptr && *value != 0 ? "ConvTranspose" : "Conv";
}

Form DeformForm(const OpContext& op) {
  // torchvision: input, weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, …
  Form form(op, "DeformConv", {0, 1, 2, 4, 3});
  const auto pair = [&](const char* h, const char* w, std::int64_t otherwise) {
    return std::vector<std::int64_t>{IntArg(op, h, otherwise), IntArg(op, w, otherwise)};
  };
  std::vector<std::int64_t> pads = pair("pad_h", "pad_w", 0);
  pads.insert(pads.end(), {pads[0], pads[1]});
  form.Set("strides", pair("stride_h", "stride_w", 1)).Set("pads", std::move(pads));
  form.Set("dilations", pair("dilation_h", "dilation_w", 1));
  return form.Set("group", IntArg(op, "groups", 1));
}

constexpr OpEntry Conv(std::string_view op) {
  return {.op = op,
          .infer = InferConv,
          .work = ConvWork,
          .rule = "conv",
          .roles = "xww",
          .like = "Conv",
          .like_of = ConvLike};
}
constexpr OpEntry Transposed(std::string_view op) {
  return {.op = op,
          .infer = InferConv,
          .work = ConvWork,
          .rule = "conv-transpose",
          .roles = "xww",
          .like = "ConvTranspose"};
}

constexpr OpEntry kOps[] = {
    Conv("conv1d"),
    Conv("conv2d"),
    Conv("conv3d"),
    Conv("convolution"),
    Conv("_convolution"),
    Transposed("conv_transpose1d"),
    Transposed("conv_transpose2d"),
    Transposed("conv_transpose3d"),
};

constexpr OpEntry kVision[] = {
    {.op = "deform_conv2d",
     .infer = InferForm<DeformForm>,
     .work = FormWork<DeformForm>,
     .rule = "conv",
     .roles = "xwxxw",
     .like = "DeformConv"},
};

}  // namespace

std::span<const OpEntry> ConvOps() { return kOps; }
std::span<const OpEntry> VisionOps() { return kVision; }

}  // namespace opscope::aten

// Recurrences: all layers and directions in one op. Their weights come as one list: for each layer
// and direction W_ih, W_hh, the two biases and, with projections, W_hr.
#include <algorithm>

#include "ops/aten/families.h"
#include "ops/aten/form.h"

namespace opscope::aten {

namespace {

struct Sizes {
  bool batch_first = false, unbatched = false;
  Dim steps, batch, input, hidden, state;
  std::int64_t directions = 1, layers = 1;
  bool bias = false;
};

constexpr std::int64_t kMaxLayers = 4096;

int GatesOf(const OpContext& op) {
  if (op.op().starts_with("lstm")) return 4;
  return op.op().starts_with("gru") ? 3 : 1;
}

Sizes SizesOf(const OpContext& op) {
  Sizes s;
  s.batch_first = FlagArg(op, "batch_first");
  s.directions = FlagArg(op, "bidirectional") ? 2 : 1;
  s.layers = std::clamp<std::int64_t>(IntArg(op, "num_layers", 1), 1, kMaxLayers);
  s.bias = FlagArg(op, "has_biases", true);
  const Shape& x = op.in(0).shape;
  s.unbatched = x.known_rank() && x.rank() == 2;
  s.steps = DimAt(x, s.batch_first && !s.unbatched ? 1 : 0);
  s.batch = s.unbatched ? Dim(1) : DimAt(x, s.batch_first ? 0 : 1);
  s.input = x.known_rank() && x.rank() > 0 ? x.dims->back() : Dim();
  const auto params = TensorsArg(op, "params");
  if (params.size() < 2 || !params[0] || !params[1]) return s;
  const Shape& recurrent = op.in(*params[1]).shape;
  s.hidden = op.dims().FloorDiv(DimAt(recurrent, 0), GatesOf(op));
  s.state = DimAt(recurrent, 1);
  return s;
}

Result<void> InferRecurrence(OpContext& op) {
  const Sizes s = SizesOf(op);
  const DType dtype = op.in(0).dtype;
  const Dim width = op.dims().Mul(s.state, s.directions);
  const Dim stacked = op.dims().Mul(s.layers, s.directions);
  if (s.unbatched) {
    SetOutput(op, 0, dtype, ShapeOf({s.steps, width}));
    SetOutput(op, 1, dtype, ShapeOf({stacked, s.state}));
    SetOutput(op, 2, dtype, ShapeOf({stacked, s.hidden}));
    return {};
  }
  SetOutput(
      op, 0, dtype,
      s.batch_first ? ShapeOf({s.batch, s.steps, width}) : ShapeOf({s.steps, s.batch, width}));
  SetOutput(op, 1, dtype, ShapeOf({stacked, s.batch, s.state}));
  SetOutput(op, 2, dtype, ShapeOf({stacked, s.batch, s.hidden}));
  return {};
}

// One layer after the other: the first reads the input, each further one the outputs of all
// directions of the one before. Said as one recurrence whose input is the mean of all layers, which
// is whole: the products are summed exactly, as a contraction where it is not.
Work RecurrenceWork(const OpContext& op) {
  DimTable& dims = op.dims();
  const Sizes s = SizesOf(op);
  const auto params = TensorsArg(op, "params");
  const int weight = params.empty() || !params[0] ? 0 : static_cast<int>(*params[0]);
  if (s.layers == 1 && s.state == s.hidden)
    return work::Recurrence{.steps = s.steps,
                            .batch = s.batch,
                            .directions = s.directions,
                            .hidden = s.hidden,
                            .input = s.input,
                            .gates = GatesOf(op),
                            .bias = s.bias,
                            .operands = {0, weight}};
  // All layers beside each other are one recurrence of as many directions when they read the same
  // width; the difference of the first layer's input is what `input` carries.
  const Dim cells = dims.Mul(dims.Mul(s.steps, s.batch), s.directions);
  const Dim gates = dims.Mul(s.hidden, GatesOf(op));
  const Dim later = dims.Mul(s.state, s.directions);
  Dim columns = dims.Add(s.input, dims.Mul(later, s.layers - 1));
  columns = dims.Add(columns, dims.Mul(s.state, s.layers));
  Dim macs = dims.Mul(cells, dims.Mul(gates, columns));
  if (s.state != s.hidden)
    macs = dims.Add(macs, dims.Mul(cells, dims.Mul(dims.Mul(s.hidden, s.state), s.layers)));
  return work::Contraction{
      .macs = macs, .order = "layers one after the other", .elements = dims.Mul(cells, s.hidden)};
}

// lstm_cell(input, hx[], w_ih, w_hh, b_ih, b_hh): the weights stand behind a list.
Result<void> InferCell(OpContext& op) {
  const auto hx = TensorsArg(op, "hx");
  const TensorFact& state = op.in(hx.empty() || !hx[0] ? 1 : *hx[0]);
  for (std::size_t i = 0; i < op.outputs(); ++i) SetOutput(op, i, op.in(0).dtype, state.shape);
  return {};
}
Work CellWork(const OpContext& op) {
  const Shape& x = op.in(0).shape;
  const Shape& state = op.out(0).shape;
  if (!x.known_rank() || !state.known_rank() || x.rank() == 0 || state.rank() == 0)
    return work::Unknown{"shapes are not known"};
  return work::Recurrence{.steps = 1,
                          .batch = ProductOf(op, x, 0, x.rank() - 1),
                          .directions = 1,
                          .hidden = state.dims->back(),
                          .input = x.dims->back(),
                          .gates = GatesOf(op),
                          .bias = true,
                          .operands = {0, op.op() == "lstm_cell" ? 3 : 2}};
}

constexpr OpEntry Recurrence(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferRecurrence,
          .work = RecurrenceWork,
          .rule = "recurrence",
          .roles = op == "lstm" ? "xccw" : "xcw",
          .like = like};
}
constexpr OpEntry Cell(std::string_view op, std::string_view like) {
  return {.op = op,
          .infer = InferCell,
          .work = CellWork,
          .rule = "recurrence",
          .roles = op == "lstm_cell" ? "xccw" : "xcw",
          .like = like};
}

constexpr OpEntry kOps[] = {
    Recurrence("lstm", "LSTM"),    Recurrence("gru", "GRU"),     Recurrence("rnn_tanh", "RNN"),
    Recurrence("rnn_relu", "RNN"), Cell("lstm_cell", "LSTM"),    Cell("gru_cell", "GRU"),
    Cell("rnn_tanh_cell", "RNN"),  Cell("rnn_relu_cell", "RNN"),
};

}  // namespace

std::span<const OpEntry> RnnOps() { return kOps; }

}  // namespace opscope::aten

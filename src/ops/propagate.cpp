#include "ops/propagate.h"

#include <algorithm>

#include "ops/infer.h"
#include "ops/propagator.h"

namespace opscope {

namespace {

// Bodies nest at most this deep; what lies deeper stays unknown.
constexpr std::size_t kMaxBodyDepth = 100;
// Loops look for a fixed point again as long as so many nodes were run for each one of the model.
constexpr std::size_t kMaxRepeats = 16;
// Bodies that several attributes share can multiply runs: after so many for each node none is run.
constexpr std::size_t kMaxRuns = 256;
// More axes than readers accept of a declared shape either.
constexpr std::size_t kMaxRank = 1024;
// Opset versions are small numbers; a larger one counts as this.
constexpr std::int64_t kMaxOpset = 1 << 20;

std::string ToText(const DimTable& dims, const Shape& shape) {
  if (!shape.known_rank()) return "[*]";
  std::string text;
  for (const Dim dim : *shape.dims) text += (text.empty() ? "" : ",") + dims.ToText(dim);
  return "[" + text + "]";
}

bool HoldsNegative(const Shape& shape) {
  return shape.known_rank() && std::any_of(shape.dims->begin(), shape.dims->end(), [](Dim dim) {
           return dim.is_number() && dim.number() < 0;
         });
}

// Elements stand only beside a shape of numbers that has as many.
void DropMisfits(DimTable& dims, TensorFact& fact) {
  if (!fact.ints.has_value() && !fact.floats.has_value()) return;
  const Dim elements = Elements(dims, fact.shape);
  const auto fits = [elements](std::size_t size) {
    return elements == Dim(static_cast<std::int64_t>(size));
  };
  if (fact.ints.has_value() && !fits(fact.ints->size())) fact.ints.reset();
  if (fact.floats.has_value() && !fits(fact.floats->size())) fact.floats.reset();
}

}  // namespace

Propagator::Propagator(Model& model, InputShapes inputs, ImportLog& log)
    : model_(model), inputs_(std::move(inputs)), log_(log), opsets_(&model.opsets) {}

Propagation Propagator::Run() {
  const std::size_t nodes = model_.nodes.size();
  out_.facts.resize(model_.tensors.size());
  out_.entries.assign(nodes, nullptr);
  out_.works.assign(nodes, work::Unknown{"never run"});
  out_.runtime.assign(nodes, false);
  out_.problems.resize(nodes);
  out_.trips.resize(model_.graphs.size());
  opset_.assign(nodes, 0);
  contradictions_in_.assign(model_.graphs.size(), 0);
  order_ = FindOrder(model_);
  FindCalls();
  SeedFacts();
  out_.trips[0] = 1;
  RunGraph(GraphId{0});
  ResolveAll();
  ComputeWork();
  Report();
  out_.order = std::move(order_.nodes);
  return std::move(out_);
}

// Bodies by their owner. One that carries the name of the op is the copy of a function.
void Propagator::FindCalls() {
  std::map<std::tuple<Str, Str, Str>, const Function*> functions;
  for (const Function& function : model_.functions) {
    functions.emplace(std::tuple(function.domain, function.name, function.overload), &function);
  }
  for (std::size_t g = 0; g < model_.graphs.size(); ++g) {
    const Graph& graph = model_.graphs[g];
    if (!graph.owner.valid()) continue;
    const GraphId body = {static_cast<std::uint32_t>(g)};
    bodies_[graph.owner].push_back(body);
    const Node& owner = model_.node(graph.owner);
    if (graph.owner_attribute != owner.op) continue;
    const auto found = functions.find(std::tuple(owner.domain, owner.op, owner.overload));
    if (found != functions.end()) calls_[graph.owner] = {found->second, body};
  }
}

// Constants are known from the start, wherever they lie; the model's inputs as they are declared
// or bound. Everything else is computed.
void Propagator::SeedFacts() {
  for (std::size_t t = 0; t < model_.tensors.size(); ++t) {
    const PayloadId payload = model_.tensors[t].payload;
    if (payload.valid()) out_.facts[t] = FactOf(model_.payload(payload));
    if (model_.tensors[t].variable) {
      out_.facts[t].dtype = model_.tensors[t].declared.dtype;
      out_.facts[t].shape = model_.tensors[t].declared.shape;
      out_.facts[t].runtime = true;
    }
    out_.facts[t].storage = {static_cast<std::uint32_t>(t)};
  }
  for (auto& [input, shape] : inputs_.by_input) {
    TensorFact& fact = Fact(input);
    fact.kind = model_.tensor(input).declared.kind;
    fact.dtype = model_.tensor(input).declared.dtype;
    fact.shape = std::move(shape);
    fact.runtime = true;
  }
}

void Propagator::RunGraph(GraphId graph) {
  for (const NodeId node : order_.nodes[graph.index()]) RunNode(node);
}

bool Propagator::RunBody(GraphId body) {
  if (depth_ >= kMaxBodyDepth || executed_ > kMaxRuns * model_.nodes.size()) return true;
  const std::size_t before = contradictions_;
  ++depth_;
  RunGraph(body);
  --depth_;
  contradictions_in_[body.index()] = contradictions_ - before;
  return contradictions_ == before;
}

// A body of If, Loop or Scan: what it takes for granted holds only when it is run.
bool Propagator::RunConditionalBody(GraphId body) {
  ++conditions_;
  const bool fits = RunBody(body);
  --conditions_;
  return fits;
}

void Propagator::SetTrips(GraphId body, Dim trips) {
  out_.trips[body.index()] = trips;
  if (trips != Dim(0)) return;
  contradictions_ -= contradictions_in_[body.index()];
  contradictions_in_[body.index()] = 0;
}

bool Propagator::MayRepeat() const { return executed_ <= kMaxRepeats * model_.nodes.size(); }

void Propagator::RunNode(NodeId id) {
  ++executed_;
  const Node& node = model_.node(id);
  if (opset_[id.index()] == 0) {
    opset_[id.index()] = OpsetOf(node);
    if (CallOf(id) == nullptr) {
      out_.entries[id.index()] =
          FindOp(model_.text(node.domain), model_.text(node.op), opset_[id.index()]);
    }
  }
  for (const TensorId output : node.outputs) {
    if (IsOwn(id, output)) Fact(output) = TensorFact();
  }
  if (model_.dims.has_facts()) {
    for (const TensorId input : node.inputs)
      if (input.valid()) Resolve(Fact(input));
  }
  out_.problems[id.index()] = Infer(id);
  Finish(id);
  const bool known = out_.entries[id.index()] != nullptr;
  if (known && !out_.problems[id.index()].empty()) ++contradictions_;
}

std::string Propagator::Infer(NodeId id) {
  const Node& node = model_.node(id);
  if (order_.waits_for_cycle[id.index()]) return "waits for its own output";
  for (const TensorId output : node.outputs) {
    if (output.valid() && !IsOwn(id, output)) {
      return "computes \"" + std::string(model_.text(model_.tensor(output).name)) +
             "\", which exists already";
    }
  }
  if (const Call* call = CallOf(id)) {
    RunFunction(id, *call);
    return {};
  }
  const OpEntry* entry = out_.entries[id.index()];
  if (entry == nullptr) return "unknown op";
  OpContext context(model_, node, opset_[id.index()], out_.facts, this);
  const Result<void> result = entry->infer(context);
  if (result.has_value()) return context.misuse();
  for (const TensorId output : node.outputs) {
    if (!output.valid()) continue;
    TensorFact left;
    left.dtype = Fact(output).dtype;
    Fact(output) = std::move(left);
  }
  return result.error().message;
}

// The outputs of the call show the bytes of the body's.
void Propagator::RunFunction(NodeId id, const Call& call) {
  const Opsets* outer = opsets_;
  opsets_ = &call.function->opsets;
  RunBody(call.body);
  opsets_ = outer;
  SetTrips(call.body, 1);
  const std::vector<TensorId>& inner = model_.graph(call.body).outputs;
  const std::vector<TensorId>& outputs = model_.node(id).outputs;
  for (std::size_t i = 0; i < std::min(inner.size(), outputs.size()); ++i) {
    if (inner[i].valid() && outputs[i].valid()) Fact(outputs[i]) = Fact(inner[i]);
  }
}

// A node hangs on the model's inputs when it, or a node in its bodies, reads what does. Outputs
// of functions know by themselves whether they do.
void Propagator::Finish(NodeId id) {
  const Node& node = model_.node(id);
  const bool reads = CallOf(id) == nullptr && ReadsRuntime(node);
  bool runtime = reads || BodiesAreRuntime(id);
  for (const TensorId output : node.outputs) {
    if (!IsOwn(id, output)) continue;
    TensorFact& fact = Fact(output);
    fact.runtime = fact.runtime || reads;
    runtime = runtime || fact.runtime;
    if (!fact.storage.valid()) fact.storage = output;
    if (fact.shape.known_rank() && fact.shape.rank() > kMaxRank) {
      out_.problems[id.index()] =
          "computes a shape of " + std::to_string(fact.shape.rank()) + " axes";
      fact.shape = Shape{};
    }
    if (HoldsNegative(fact.shape)) {
      if (out_.problems[id.index()].empty()) {
        out_.problems[id.index()] = "computes the shape " + ToText(model_.dims, fact.shape);
      }
      fact.shape = Shape{};
    }
    DropMisfits(model_.dims, fact);
    LimitElements(fact);
    Reconcile(output);
    NameUnknownSizes(id, output);
  }
  out_.runtime[id.index()] = runtime;
}

// When the limit is passed, the larger tensors are forgotten, constants included, so that work on
// them ends as well.
void Propagator::LimitElements(TensorFact& fact) {
  const std::size_t size = fact.ints.has_value() ? fact.ints->size() : 0;
  if (size <= kFewElements) return;
  const bool below = elements_ <= kMaxKept;
  elements_ += size;
  if (elements_ <= kMaxKept) return;
  fact.ints.reset();
  if (!below) return;
  for (TensorFact& other : out_.facts) {
    if (other.ints.has_value() && other.ints->size() > kFewElements) other.ints.reset();
  }
}

// What shape functions found stands; what they did not find is taken from the file's own
// declaration. Sizes that the data decide give way to declared ones.
void Propagator::Reconcile(TensorId output) {
  const TypeInfo& declared = model_.tensor(output).declared;
  TensorFact& fact = Fact(output);
  if (fact.dtype == DType::kUnknown) {
    if (!fact.shape.known_rank()) fact.kind = declared.kind;
    fact.dtype = declared.dtype;
  }
  if (!declared.shape.known_rank() || fact.kind != declared.kind) return;
  Shape stated = declared.shape;
  for (Dim& dim : *stated.dims) dim = model_.dims.Bind(dim, inputs_.bindings);
  if (!fact.shape.known_rank()) {
    fact.shape = std::move(stated);
    return;
  }
  bool differs = fact.shape.rank() != stated.rank();
  for (std::size_t i = 0; !differs && i < stated.rank(); ++i) {
    Dim& own = (*fact.shape.dims)[i];
    const Dim said = (*stated.dims)[i];
    const bool computed =
        own.is_expression() && computed_expressions_.count(own.expression().value) > 0;
    if ((own.is_unknown() || computed) && !said.is_unknown()) {
      own = said;
    } else {
      differs = own.is_number() && said.is_number() && own != said;
    }
  }
  if (differs) {
    differences_[output] = "computed " + ToText(model_.dims, fact.shape) + ", the file says " +
                           ToText(model_.dims, stated);
  }
}

void Propagator::ComputeWork() {
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
    const NodeId id = {static_cast<std::uint32_t>(n)};
    if (opset_[n] == 0) continue;
    if (!out_.problems[n].empty()) {
      out_.works[n] = work::Unknown{out_.problems[n]};
    } else if (out_.entries[n] == nullptr) {
      out_.works[n] = work::ControlFlow{};
    } else {
      out_.works[n] =
          out_.entries[n]->work(OpContext(model_, model_.node(id), opset_[n], out_.facts, this));
    }
  }
}

// In the order of the file, whatever the order of the walk. Unknown ops are no damage: the totals
// name them.
void Propagator::Report() {
  for (const GraphId graph : order_.unsorted) {
    log_.Add("ops.unsorted", Severity::kNotice, model_.text(model_.graph(graph).name),
             "nodes do not stand in the order in which they can be computed");
  }
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
    ReportProblem({static_cast<std::uint32_t>(n)});
  }
  for (const auto& [node, message] : notes_) {
    log_.Add("ops.assumption", Severity::kNotice, Label(model_, model_.node(node)), message);
  }
  for (const auto& [tensor, message] : differences_) {
    if (NeverRuns(model_.tensor(tensor).producer)) continue;
    const std::string name(model_.text(model_.tensor(tensor).name));
    log_.Add("ops.shape-differs", Severity::kNotice, "tensor \"" + name + "\"", message);
  }
}

void Propagator::ReportProblem(NodeId id) {
  const std::string& problem = out_.problems[id.index()];
  if (problem.empty()) return;
  const std::string label = Label(model_, model_.node(id));
  if (order_.waits_for_cycle[id.index()]) {
    log_.Add("ops.cycle", Severity::kLoss, label, problem);
  } else if (out_.entries[id.index()] == nullptr) {
    return;
  } else if (NeverRuns(id)) {
    log_.Add("ops.branch-excluded", Severity::kNotice, label, problem);
  } else {
    log_.Add("ops.contradiction", Severity::kLoss, label, problem);
  }
}

bool Propagator::NeverRuns(NodeId id) const {
  for (GraphId graph = model_.node(id).graph; model_.graph(graph).owner.valid();
       graph = model_.node(model_.graph(graph).owner).graph) {
    if (out_.trips[graph.index()] == Dim(0)) return true;
  }
  return false;
}

const Propagator::Call* Propagator::CallOf(NodeId id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : &found->second;
}

bool Propagator::ReadsRuntime(const Node& node) const {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [this](TensorId input) { return input.valid() && Fact(input).runtime; });
}

bool Propagator::BodiesAreRuntime(NodeId id) const {
  const auto found = bodies_.find(id);
  if (found == bodies_.end()) return false;
  for (const GraphId body : found->second) {
    for (const NodeId node : model_.graph(body).nodes) {
      if (out_.runtime[node.index()]) return true;
    }
  }
  return false;
}

int Propagator::OpsetOf(const Node& node) const {
  for (const auto& [domain, version] : *opsets_) {
    if (domain == node.domain) {
      return static_cast<int>(std::clamp<std::int64_t>(version, 1, kMaxOpset));
    }
  }
  return 1;
}

bool Propagator::IsOwn(NodeId id, TensorId output) const {
  if (!output.valid()) return false;
  const Tensor& tensor = model_.tensor(output);
  return tensor.producer == id && !tensor.payload.valid();
}

void Propagator::Note(const Node& node, std::string message) {
  const NodeId id = {static_cast<std::uint32_t>(&node - model_.nodes.data())};
  notes_.insert_or_assign(id, std::move(message));
}

// --- OpContext: what needs the walk ---

bool OpContext::RunBody(GraphId body) {
  return propagator_ == nullptr || propagator_->RunConditionalBody(body);
}

void OpContext::SetTrips(GraphId body, Dim trips) {
  if (propagator_ != nullptr) propagator_->SetTrips(body, trips);
}

bool OpContext::MayRepeat() const { return propagator_ != nullptr && propagator_->MayRepeat(); }

Dim OpContext::DataDependent(std::string_view what, Dim at_most) {
  return propagator_ == nullptr ? Dim() : propagator_->DataDependent(*own_, what, {}, at_most);
}

Dim OpContext::OpenSize(TensorId tensor, std::string_view what, Dim at_most) {
  if (propagator_ == nullptr || !tensor.valid()) return {};
  return propagator_->DataDependent(*own_, what, model_->text(model_->tensor(tensor).name),
                                    at_most);
}

Dim OpContext::TakeEqual(Dim a, Dim b, std::string_view what) const {
  if (a == b) return a;
  Note(std::string(what) + " takes " + dims().ToText(a) + " and " + dims().ToText(b) +
       " to be equal");
  if (propagator_ != nullptr && propagator_->Equate(a, b)) return dims().Resolve(a);
  return dims().ToText(b).size() < dims().ToText(a).size() ? b : a;
}

void OpContext::Note(std::string message) const {
  if (propagator_ != nullptr) propagator_->Note(*own_, std::move(message));
}

namespace {

// A shape of another layout or another number of channels: no numbers rather than a few.
Result<void> CheckReplaced(const std::vector<ReplacedDim>& replaced, const ImportLog& log) {
  if (replaced.empty()) return {};
  for (const ImportIssue& issue : log.issues()) {
    if (issue.code != "ops.contradiction") continue;
    const ReplacedDim& dim = replaced.front();
    return Error{"usage.shape",
                 "input \"" + dim.input + "\": dim " + std::to_string(dim.axis) + " is " +
                     std::to_string(dim.in_file) + " in the file and " + std::to_string(dim.given) +
                     " in the shape given, which the model does not allow: " + issue.message,
                 ""};
  }
  return {};
}

}  // namespace

Result<Propagation> Propagate(Model& model, const PropagateOptions& options, ImportLog& log) {
  TRY_ASSIGN(InputShapes inputs, ReadInputShapes(model, options));
  const Bindings bindings = inputs.bindings;
  const std::vector<ReplacedDim> replaced = inputs.replaced;
  Propagator propagator(model, std::move(inputs), log);
  Propagation result = propagator.Run();
  std::vector<std::string> computed;
  for (const ComputedSymbol& symbol : result.computed) computed.push_back(symbol.name);
  TRY(CheckBindings(model, bindings, computed));
  TRY(CheckReplaced(replaced, log));
  return result;
}

}  // namespace opscope

//   thread_4711_(process_42);aten::linear;aten::addmm 1250        ours, nanoseconds
//   train.py(14):_<module>;train.py(7):_step;aten::mm 342         export_stacks, microseconds
//   cksum;main;cksum 31                                           samples
#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <vector>

#include "base/checked.h"
#include "base/lines.h"
#include "base/text.h"
#include "trace/formats/folded/format.h"

namespace opscope::folded {

namespace {

struct Stack {
  std::string_view frames;
  std::int64_t value = 0;
};

std::optional<Stack> Parse(std::string_view line) {
  const std::size_t blank = line.find_last_of(' ');
  if (blank == std::string_view::npos || blank == 0) return std::nullopt;
  const std::string_view number = line.substr(blank + 1);
  Stack out{line.substr(0, blank), 0};
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), out.value);
  const bool whole = error == std::errc() && end == number.data() + number.size();
  return whole && !number.empty() && out.value >= 0 ? std::optional(out) : std::nullopt;
}

// The name of a track that our own export writes in front.
bool IsTrack(std::string_view frame) {
  if (frame.starts_with("device_")) return frame.find("_stream_") != std::string_view::npos;
  return (frame.starts_with("thread_") || frame.starts_with("ranges_of_thread_")) &&
         frame.ends_with(')') && frame.find("_(process_") != std::string_view::npos;
}

bool IsPython(std::string_view frame) { return frame.find(".py(") != std::string_view::npos; }

// A tree of frames; the children of a node are a list in the order of the file.
struct Node {
  Str name{0};
  std::int64_t self = 0, total = 0;
  std::uint32_t child = 0, last_child = 0, next = 0;  // 0 = none: nothing leads back to the root
};

class Tree {
 public:
  explicit Tree(Trace& trace) : trace_(&trace), nodes_(1) {}

  void Add(const Stack& stack) {
    std::uint32_t node = 0;
    for (std::size_t at = 0; at <= stack.frames.size();) {
      const std::size_t end = std::min(stack.frames.find(';', at), stack.frames.size());
      node = Child(node, trace_->strings.Intern(stack.frames.substr(at, end - at)));
      at = end + 1;
    }
    nodes_[node].self = SaturatingAdd(nodes_[node].self, stack.value);
  }

  // Children stand behind their parents.
  void Sum() {
    std::vector<std::uint32_t> parent(nodes_.size());
    for (std::uint32_t node = 0; node < nodes_.size(); ++node)
      for (std::uint32_t child = nodes_[node].child; child != 0; child = nodes_[child].next)
        parent[child] = node;
    for (std::uint32_t node = static_cast<std::uint32_t>(nodes_.size()); node-- > 0;) {
      nodes_[node].total = SaturatingAdd(nodes_[node].total, nodes_[node].self);
      if (node == 0) continue;
      Node& above = nodes_[parent[node]];
      above.total = SaturatingAdd(above.total, nodes_[node].total);
    }
  }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::uint32_t Child(std::uint32_t parent, Str name) {
    const std::uint64_t key = (std::uint64_t{parent} << 32) | name.value;
    const auto [at, is_new] = place_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    if (!is_new) return at->second;
    nodes_.push_back({name, 0, 0, 0, 0, 0});
    Node& above = nodes_[parent];
    (above.child == 0 ? above.child : nodes_[above.last_child].next) = at->second;
    above.last_child = at->second;
    return at->second;
  }

  Trace* trace_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> place_;
};

// Events of the tree: what a frame calls comes first, its own time behind that.
class Layout {
 public:
  Layout(Trace& trace, ImportLog& log, std::int64_t unit)
      : trace_(&trace), log_(&log), builder_(trace), unit_(unit) {}

  void Place(const std::vector<Node>& nodes) {
    std::vector<std::int64_t> begin(nodes.size());
    std::vector<TrackId> track(nodes.size());
    const TrackId plain = Track(Str{0});
    std::int64_t loose = 0;  // where the next stack without a track begins
    for (std::uint32_t top = nodes[0].child; top != 0; top = nodes[top].next) {
      const bool named = IsTrack(trace_->text(nodes[top].name));
      track[top] = named ? Track(nodes[top].name) : plain;
      is_track_ = named;
      begin[top] = named ? 0 : loose;
      if (!named) loose = SaturatingAdd(loose, nodes[top].total);
      Below(nodes, top, begin, track);
    }
  }

 private:
  void Below(const std::vector<Node>& nodes, std::uint32_t top, std::vector<std::int64_t>& begin,
             std::vector<TrackId>& track) {
    std::vector<std::uint32_t> open{top};
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      if (node != top || !is_track_) Insert(nodes[node], begin[node], track[top]);
      std::int64_t at = begin[node];
      for (std::uint32_t child = nodes[node].child; child != 0; child = nodes[child].next) {
        begin[child] = at;
        at = SaturatingAdd(at, nodes[child].total);
        open.push_back(child);
      }
    }
  }

  TrackId Track(Str name) {
    const TrackId id = builder_.AddTrack(TrackKind::kThread, 0, tracks_++);
    trace_->tracks[id.index()].name = name;
    return id;
  }

  void Insert(const Node& node, std::int64_t begin, TrackId track) {
    if (node.total == 0) return;
    const EventKind kind = IsPython(trace_->text(node.name)) ? EventKind::kPython : EventKind::kOp;
    const auto begin_ns = CheckedMul(begin, unit_), ns = CheckedMul(node.total, unit_);
    if (begin_ns && ns &&
        builder_.AddEvent(node.name, track, kind, *begin_ns, *ns, -1, DeviceArgsId{}))
      return;
    log_->Add("trace.bad-time", Severity::kLoss, Printable(trace_->text(node.name)),
              "a frame whose value is too large is left out");
  }

  Trace* trace_;
  ImportLog* log_;
  TraceBuilder builder_;
  std::int64_t unit_;
  std::int64_t tracks_ = 0;
  bool is_track_ = false;
};

std::int64_t UnitOf(const Trace& trace, const std::vector<Node>& nodes, ImportLog& log) {
  constexpr std::int64_t kMicrosecond = 1000;
  bool python = false;
  for (std::uint32_t top = nodes[0].child; top != 0; top = nodes[top].next) {
    if (IsTrack(trace.text(nodes[top].name))) return 1;
    python = python || IsPython(trace.text(nodes[top].name));
  }
  if (python) return kMicrosecond;
  log.Add("folded.unit", Severity::kNotice, "",
          "the file does not say what its numbers count (samples?): one is shown as one ns");
  return 1;
}

}  // namespace

// Every whole line is a stack and a number.
TraceMatch Probe(std::string_view prefix, std::uint64_t size) {
  std::size_t stacks = 0, frames = 0;
  for (std::size_t at = 0; at < prefix.size();) {
    const std::size_t end = prefix.find('\n', at);
    if (end == std::string_view::npos && size > prefix.size()) break;
    std::string_view line = prefix.substr(at, std::min(end, prefix.size()) - at);
    at = std::min(end, prefix.size() - 1) + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const auto stack = Parse(line);
    const bool text = std::none_of(line.begin(), line.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (!stack || !text || line.front() == '{' || line.front() == '[') return TraceMatch::kNo;
    ++stacks;
    frames += stack->frames.find(';') == std::string_view::npos ? 0 : 1;
  }
  if (stacks == 0) return TraceMatch::kNo;
  return frames > 0 ? TraceMatch::kYes : TraceMatch::kMaybe;
}

Result<Trace> Read(const TraceReadContext& context) {
  Trace trace;
  trace.format = kFoldedStacks.info.id;
  trace.file = context.source.file_name();
  trace.bytes = context.source.size();
  trace.clock = "none: stacks are laid one behind the other";
  trace.whole_program = true;
  trace.laid_out = true;
  Tree tree(trace);
  Lines lines(context.source);
  while (true) {
    TRY_ASSIGN(const std::optional<TextLine> line, lines.Next());
    if (!line) break;
    if (line->text.empty() || line->text.front() == '#') continue;
    const auto stack = line->cut ? std::nullopt : Parse(line->text);
    if (stack)
      tree.Add(*stack);
    else
      context.log.Add("folded.bad-line", Severity::kLoss, AtByte(line->offset),
                      "a line that is no stack with a number is left out: " +
                          Printable(line->text.substr(0, 60)));
  }
  tree.Sum();
  const std::int64_t unit = UnitOf(trace, tree.nodes(), context.log);
  Layout(trace, context.log, unit).Place(tree.nodes());
  FinishScopes(trace);
  return trace;
}

}  // namespace opscope::folded

#include "trace/export/folded.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/export/tracks.h"

namespace opscope {

namespace {

std::string Frame(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c == ' ' || c == ';' || c == '\t' || c == '\n' || c == '\r') c = '_';
  return out;
}

// A tree of stacks: a node is a name below a node.
class Stacks {
 public:
  explicit Stacks(const Trace& trace) : trace_(&trace) {}

  std::uint32_t Child(std::uint32_t parent, Str name) {
    const std::uint64_t key = (std::uint64_t{parent} << 32) | name.value;
    const auto [at, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({parent, name, 0});
    return at->second;
  }
  void Add(std::uint32_t node, std::int64_t ns) { nodes_[node].ns += ns; }

  void Write(Sink& sink) const {
    std::vector<std::uint32_t> path;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].ns <= 0) continue;
      path.clear();
      for (std::uint32_t up = node; up != kRoot && path.size() < kMostFrames;
           up = nodes_[up].parent)
        path.push_back(up);
      std::string line = path.size() < kMostFrames ? "" : "...";
      for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
        // The root of a track is a name of our own.
        line += (line.empty() ? "" : ";") + Frame(NameOf(*frame));
      }
      sink.Append(line + " " + std::to_string(nodes_[node].ns) + "\n");
    }
  }

  // Stacks that were read as stacks have the name that stood in front of them, or none.
  std::uint32_t Track(std::uint32_t track) {
    if (trace_->laid_out && trace_->tracks[track].name.value == 0) return kRoot;
    nodes_.push_back({kRoot, Str{0}, 0});
    tracks_[static_cast<std::uint32_t>(nodes_.size() - 1)] = track;
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

 private:
  static constexpr std::uint32_t kRoot = 0xffffffffU;
  static constexpr std::size_t kMostFrames = 256;  // the innermost; "..." stands for the others
  struct Node {
    std::uint32_t parent;
    Str name;
    std::int64_t ns;
  };

  std::string NameOf(std::uint32_t node) const {
    const auto track = tracks_.find(node);
    if (track != tracks_.end())
      return trace_->laid_out ? std::string(trace_->text(trace_->tracks[track->second].name))
                              : TrackName(*trace_, track->second);
    return std::string(trace_->text(nodes_[node].name));
  }

  const Trace* trace_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::unordered_map<std::uint32_t, std::uint32_t> tracks_;
};

}  // namespace

Result<void> WriteFolded(const Trace& trace, Sink& sink) {
  Stacks stacks(trace);
  std::vector<std::uint32_t> node(trace.size());
  std::vector<std::int64_t> self(trace.size());
  std::uint32_t track = 0;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    if (event == 0 || trace.track[event] != trace.track[event - 1])
      track = stacks.Track(trace.track[event]);
    const EventId parent = trace.parent_of(event);
    node[event] = stacks.Child(parent.valid() ? node[parent.index()] : track, trace.name[event]);
    self[event] = trace.duration(event);
    if (parent.valid()) self[parent.index()] -= trace.duration(event);
  }
  for (std::uint32_t event = 0; event < trace.size(); ++event)
    stacks.Add(node[event], std::max<std::int64_t>(0, self[event]));
  stacks.Write(sink);
  return {};
}

}  // namespace opscope

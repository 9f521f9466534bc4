#include "trace/export/speedscope.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "trace/export/tracks.h"

namespace opscope {

namespace {

// A track's events of one lane, which nest.
using Lane = std::vector<std::uint32_t>;

// Each event goes into the first lane in which it nests.
std::vector<Lane> LanesOf(const Trace& trace, std::uint32_t begin, std::uint32_t end) {
  constexpr std::size_t kMostLanes = 64;  // what nests in none of them is left out
  std::vector<Lane> lanes;
  std::vector<std::vector<std::uint32_t>> open;
  for (std::uint32_t event = begin; event < end; ++event) {
    for (std::size_t lane = 0; lane < kMostLanes; ++lane) {
      if (lane == lanes.size()) {
        lanes.emplace_back();
        open.emplace_back();
      }
      auto& stack = open[lane];
      while (!stack.empty() && trace.end[stack.back()] <= trace.begin[event]) stack.pop_back();
      if (!stack.empty() && trace.end[event] > trace.end[stack.back()]) continue;
      stack.push_back(event);
      lanes[lane].push_back(event);
      break;
    }
  }
  return lanes;
}

class Writer {
 public:
  Writer(const Trace& trace, Sink& sink) : trace_(&trace), json_(sink, JsonStyle::kCompact) {
    for (std::size_t event = 0; event < trace.size(); ++event)
      first_ = event == 0 ? trace.begin[event] : std::min(first_, trace.begin[event]);
  }

  void Write() {
    json_.BeginObject();
    Text("$schema", "https://www.speedscope.app/file-format-schema.json");
    Text("exporter", "opscope");
    Text("name", trace_->file);
    Frames();
    json_.Key("profiles");
    json_.BeginArray();
    for (std::uint32_t begin = 0, end = 0; begin < trace_->size(); begin = end) {
      const std::uint32_t track = trace_->track[begin];
      for (end = begin; end < trace_->size() && trace_->track[end] == track;) ++end;
      const std::vector<Lane> lanes = LanesOf(*trace_, begin, end);
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) Profile(track, lane, lanes[lane]);
    }
    json_.EndArray();
    json_.EndObject();
  }

 private:
  void Text(std::string_view key, std::string_view text) {
    json_.Key(key);
    json_.String(text);
  }
  void Integer(std::string_view key, std::int64_t value) {
    json_.Key(key);
    json_.Integer(value);
  }

  void Frames() {
    json_.Key("shared");
    json_.BeginObject();
    json_.Key("frames");
    json_.BeginArray();
    frame_of_.assign(trace_->strings.size(), 0);
    std::vector<bool> seen(trace_->strings.size());
    std::int64_t frames = 0;
    for (const Str name : trace_->name) {
      if (seen[name.index()]) continue;
      seen[name.index()] = true;
      frame_of_[name.index()] = frames++;
      json_.BeginObject();
      Text("name", trace_->text(name));
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }

  void Mark(std::string_view type, std::uint32_t event, std::int64_t at) {
    json_.BeginObject();
    Text("type", type);
    Integer("frame", frame_of_[trace_->name[event].index()]);
    Integer("at", at - first_);
    json_.EndObject();
  }

  void Profile(std::uint32_t track, std::size_t lane, const Lane& events) {
    std::int64_t last = trace_->begin[events.front()];
    for (const std::uint32_t event : events) last = std::max(last, trace_->end[event]);
    json_.BeginObject();
    Text("type", "evented");
    Text("name",
         TrackName(*trace_, track) + (lane == 0 ? "" : " (" + std::to_string(lane + 1) + ")"));
    Text("unit", "nanoseconds");
    Integer("startValue", trace_->begin[events.front()] - first_);
    Integer("endValue", last - first_);
    json_.Key("events");
    json_.BeginArray();
    std::vector<std::uint32_t> open;
    const auto close = [&] {
      Mark("C", open.back(), trace_->end[open.back()]);
      open.pop_back();
    };
    for (const std::uint32_t event : events) {
      while (!open.empty() && trace_->end[open.back()] <= trace_->begin[event]) close();
      Mark("O", event, trace_->begin[event]);
      open.push_back(event);
    }
    while (!open.empty()) close();
    json_.EndArray();
    json_.EndObject();
  }

  const Trace* trace_;
  JsonWriter json_;
  std::int64_t first_ = 0;
  std::vector<std::int64_t> frame_of_;
};

}  // namespace

Result<void> WriteSpeedscope(const Trace& trace, Sink& sink) {
  Writer(trace, sink).Write();
  return {};
}

}  // namespace opscope

// NVTX: what the program named.
#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "trace/formats/nsys/importer.h"

namespace opscope::nsys {

namespace {

// The second number: ranges that were added from a text file later.
enum Type : std::int64_t {
  kMark = 34,
  kThreadName = 39,
  kPushPop = 59,
  kStartEnd = 60,
  kLaterMark = 65,
  kLaterPushPop = 70,
  kLaterStartEnd = 71,
  kDomain = 75,
};

// torch.autograd.profiler.emit_nvtx names its ranges "aten::view, op_id = 314290" or
// "aten::mm, seq = 12, sizes = [[2, 3], [3, 4]]": these are ops, and the name ends at the comma.
std::string_view OpNameOf(std::string_view text) {
  constexpr std::array<std::string_view, 4> kSigns = {
      ", op_id = ", ", seq = ", ", sizes = ", ", input_op_ids = "};
  for (std::size_t at = text.find(", "); at != std::string_view::npos; at = text.find(", ", at + 1))
    for (const std::string_view sign : kSigns)
      if (text.substr(at).starts_with(sign)) return text.substr(0, at);
  return {};
}

class RangeReader {
 public:
  explicit RangeReader(Importer& importer) : importer_(&importer) {}

  void Read() {
    importer_->database().ForEach(
        "NVTX_EVENTS", {"start", "end", "eventType", "globalTid", "text", "textId", "domainId"},
        [&](const Row& row) { ReadOne(row); });
    CloseOpen();
    NameDomains();
  }

 private:
  enum Column : std::size_t { kBegin, kEnd, kType, kThread, kText, kTextId, kInDomain };
  struct Range {
    Str name;
    TrackId track;
    EventKind kind;
    std::int64_t begin, domain, process;
  };
  struct InDomain {
    std::uint32_t event;
    std::int64_t domain, process;
  };

  void ReadOne(const Row& row) {
    const std::int64_t type = row.Integer(kType) == kNone ? kPushPop : row.Integer(kType);
    std::string_view text = row.Text(kText);
    if (text.empty()) text = importer_->trace().text(importer_->names().Of(row.Integer(kTextId)));
    text = Bounded(text);
    switch (type) {
      case kPushPop:
      case kLaterPushPop: {
        const std::string_view op = OpNameOf(text);
        return Add(row, op.empty() ? text : op, TrackKind::kThread,
                   op.empty() ? EventKind::kAnnotation : EventKind::kOp, row.Integer(kEnd));
      }
      case kStartEnd:
      case kLaterStartEnd:
        return Add(row, text, TrackKind::kRanges, EventKind::kAnnotation, row.Integer(kEnd));
      case kMark:
      case kLaterMark:
        return Add(row, text, TrackKind::kRanges, EventKind::kAnnotation, row.Integer(kBegin));
      case kThreadName:
        return importer_->NameThread(row.Integer(kThread), Intern(text));
      case kDomain:
        domains_[{ProcessAt(row), row.Integer(kInDomain)}] = Intern(text);
        return;
      default:
        return;  // names of categories, devices, contexts, streams
    }
  }

  Str Intern(std::string_view text) { return importer_->trace().strings.Intern(text); }
  static std::int64_t ProcessAt(const Row& row) {
    const std::int64_t thread = row.Integer(kThread);
    return thread == kNone ? 0 : ProcessOf(thread);
  }

  void Add(const Row& row, std::string_view text, TrackKind track, EventKind kind,
           std::int64_t end) {
    const Range range{Intern(text),
                      importer_->Thread(track, row.Integer(kThread)),
                      kind,
                      row.Integer(kBegin),
                      row.Integer(kInDomain),
                      ProcessAt(row)};
    if (range.begin != kNone && end == kNone) return open_.push_back(range);
    Insert(range, end);
  }

  void Insert(const Range& range, std::int64_t end) {
    const std::size_t place = importer_->trace().size();
    importer_->Add(range.name, range.track, range.kind, range.begin, end);
    if (range.domain != kNone && range.domain != 0 && importer_->trace().size() > place)
      in_domains_.push_back({static_cast<std::uint32_t>(place), range.domain, range.process});
  }

  // Ranges that were open when the recording stopped.
  void CloseOpen() {
    const std::int64_t last = importer_->last_end();
    for (const Range& range : open_) {
      importer_->log().Add("nsys.open-range", Severity::kNotice,
                           Printable(importer_->trace().text(range.name)),
                           "a range was open when the recording stopped: it is taken to end with "
                           "the last event");
      Insert(range, std::max(range.begin, last));
    }
  }

  // "NCCL:ncclAllReduce", as the recorder's own tables have it.
  void NameDomains() {
    std::map<std::pair<Str, Str>, Str> names;
    for (const InDomain& event : in_domains_) {
      const auto domain = domains_.find({event.process, event.domain});
      if (domain == domains_.end()) continue;
      Str& own = importer_->trace().name[event.event];
      const auto [name, is_new] = names.try_emplace({domain->second, own}, Str{0});
      if (is_new)
        name->second = Intern(std::string(importer_->trace().text(domain->second)) + ":" +
                              std::string(importer_->trace().text(own)));
      own = name->second;
    }
  }

  Importer* importer_;
  std::vector<Range> open_;
  std::vector<InDomain> in_domains_;
  std::map<std::pair<std::int64_t, std::int64_t>, Str> domains_;  // (process, id)
};

}  // namespace

void ReadRanges(Importer& importer) { RangeReader(importer).Read(); }

}  // namespace opscope::nsys

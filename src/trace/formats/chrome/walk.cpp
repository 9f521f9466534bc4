#include "trace/formats/chrome/walk.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "trace/formats/chrome/lenient_walk.h"
#include "trace/formats/chrome/piece_reader.h"
#include "trace/formats/chrome/pieces.h"

namespace opscope::chrome {

namespace {

// Small enough for a core's cache, large enough that cutting costs nothing.
constexpr std::size_t kPieceBytes = 2 << 20;

int ThreadsOf(const WalkOptions& options) {
  if (options.threads > 0) return options.threads;
  constexpr int kMost = 8;  // the merge of the events keeps no more busy
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMost);
}

// Ids of one reader's pool -> ids of the trace's, made in the order in which events use them: the
// numbering does not depend on who read which piece.
class Translation {
 public:
  explicit Translation(StringPool& strings) : strings_(&strings) {}

  void Learn(const std::vector<std::string_view>& new_strings) {
    views_.insert(views_.end(), new_strings.begin(), new_strings.end());
    ids_.resize(views_.size());
  }
  void Apply(RawEvents& batch) {
    for (RawEvent& event : batch.events) {
      event.name = Of(event.name);
      event.category = Of(event.category);
      event.pid_text = Of(event.pid_text);
      event.tid_text = Of(event.tid_text);
      if (event.args != kNoArgs) batch.args[event.args].label = Of(batch.args[event.args].label);
    }
  }

 private:
  Str Of(Str local) {
    Str& id = ids_[local.index()];
    if (!id.valid()) id = strings_->Intern(views_[local.index()]);
    return id;
  }

  StringPool* strings_;
  std::vector<std::string_view> views_;
  std::vector<Str> ids_;
};

class Walker {
 public:
  Walker(Source& source, const WalkOptions& options, StringPool& strings, ImportLog& log,
         const std::function<void(RawEvents&)>& take)
      : source_(&source),
        log_(&log),
        take_(&take),
        readers_(ThreadsOf(options), options.args_of_ops),
        next_(options.offset),
        lenient_fields_(lenient_events_, options.args_of_ops),
        lenient_translation_(strings) {
    translations_.resize(readers_.readers(), Translation(strings));
  }

  Result<WalkEnd> Run() {
    while (true) {
      while (!readers_.full() && !tail_) TRY(CutPiece());
      if (readers_.empty()) {
        TRY_ASSIGN(const LenientStop stop, ReadLeniently(next_, next_ + kPieceBytes));
        if (stop.list_ended || stop.file_ended) return WalkEnd{stop.offset, stop.list_ended};
        next_ = stop.offset;
        tail_ = next_ < looked_to_;
        continue;
      }
      TRY_ASSIGN(const std::optional<WalkEnd> end, TakePiece());
      if (end) return *end;
    }
  }

 private:
  // Cuts the next piece off the file. What stands behind the last place to cut is the tail: the
  // last event, the closing bracket and what follows.
  Result<void> CutPiece() {
    std::size_t length = kPieceBytes, cut = std::string_view::npos;
    std::string_view text;
    for (;; length *= 2) {
      TRY_ASSIGN(text, source_->Window(next_, length));
      cut = FindLastEvent(text);
      if (cut != std::string_view::npos && cut > 0) break;
      if (next_ + text.size() >= source_->size() || length >= Source::kMaxWindow) {
        tail_ = true;
        looked_to_ = next_ + text.size();
        return {};
      }
    }
    // To the last byte of the event in front of the comma.
    const std::size_t comma = text.substr(0, cut).rfind(',');
    const std::size_t end = text.substr(0, comma).rfind('}') + 1;
    std::unique_ptr<Piece> piece = readers_.Fresh();
    piece->offset = next_;
    piece->length = end;
    piece->buffer.resize(1 + end + FastWalk::kPadding);
    std::memcpy(piece->buffer.data() + 1, text.data(), end);
    readers_.Put(std::move(piece));
    next_ += cut;
    return {};
  }

  // The oldest piece; an end when the list ended in it.
  Result<std::optional<WalkEnd>> TakePiece() {
    std::unique_ptr<Piece> piece = readers_.Take();
    Translation& translation = translations_[piece->reader];
    translation.Learn(piece->new_strings);
    translation.Apply(piece->events);
    (*take_)(piece->events);
    const FastResult result = piece->result;
    const std::uint64_t offset = piece->offset, end = piece->end();
    readers_.Recycle(std::move(piece));
    if (result.clean) return std::optional<WalkEnd>();
    TRY_ASSIGN(const LenientStop stop, ReadLeniently(offset + result.used, end));
    if (stop.list_ended || stop.file_ended)
      return std::optional(WalkEnd{stop.offset, stop.list_ended});
    if (stop.offset > end) DropPieces(stop.offset);
    return std::optional<WalkEnd>();
  }

  Result<LenientStop> ReadLeniently(std::uint64_t offset, std::uint64_t until) {
    lenient_events_.Clear();
    LenientWalk walk(*source_, *log_, lenient_fields_, lenient_events_);
    TRY_ASSIGN(const LenientStop stop, walk.Read(offset, until));
    std::vector<std::string_view> new_strings;
    lenient_fields_.TakeNewStrings(new_strings);
    lenient_translation_.Learn(new_strings);
    lenient_translation_.Apply(lenient_events_);
    (*take_)(lenient_events_);
    return stop;
  }

  // The cut was wrong: what was cut behind it begins in the middle of something.
  void DropPieces(std::uint64_t offset) {
    while (!readers_.empty()) {
      std::unique_ptr<Piece> piece = readers_.Take();
      translations_[piece->reader].Learn(piece->new_strings);
      readers_.Recycle(std::move(piece));
    }
    next_ = offset;
    tail_ = false;
  }

  Source* source_;
  ImportLog* log_;
  const std::function<void(RawEvents&)>* take_;
  PieceReader readers_;
  std::vector<Translation> translations_;  // by reader
  std::uint64_t next_;                     // where the next piece begins
  bool tail_ = false;
  std::uint64_t looked_to_ = 0;  // no place to cut in front of this
  RawEvents lenient_events_;
  Fields lenient_fields_;
  Translation lenient_translation_;
};

}  // namespace

Result<WalkEnd> WalkEvents(Source& source, const WalkOptions& options, StringPool& strings,
                           ImportLog& log, const std::function<void(RawEvents&)>& take) {
  return Walker(source, options, strings, log, take).Run();
}

}  // namespace opscope::chrome

#include "trace/formats/chrome/piece_reader.h"

#include <new>

#include "base/check.h"
#include "trace/formats/chrome/fields.h"

namespace opscope::chrome {

// What one thread keeps between pieces.
struct PieceReader::Reader {
  explicit Reader(bool of_ops) : fields(events, of_ops) {}

  RawEvents events;
  Fields fields;
  FastWalk walk;

  void Read(Piece& piece) {
    std::swap(events, piece.events);
    events.Clear();
    try {
      piece.result = walk.Read(piece.buffer, fields, events);
    } catch (const std::bad_alloc&) {
      // Nothing of the piece counts as read: the thread that merges reads it, and fails if it must.
      events.Clear();
      piece.result = {};
    }
    std::swap(events, piece.events);
    fields.TakeNewStrings(piece.new_strings);
  }
};

PieceReader::PieceReader(int threads, bool of_ops) : most_(static_cast<std::size_t>(threads) + 1) {
  CHECK(threads >= 1);
  for (int i = 0; i < threads; ++i) readers_.push_back(std::make_unique<Reader>(of_ops));
  if (threads == 1) return;
  for (std::size_t i = 0; i < readers_.size(); ++i) threads_.emplace_back([this, i] { Run(i); });
}

PieceReader::~PieceReader() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PieceReader::Run(std::size_t reader) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    Piece* piece = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    piece->reader = reader;
    readers_[reader]->Read(*piece);
    lock.lock();
    piece->done = true;
    changed_.notify_all();
  }
}

std::unique_ptr<Piece> PieceReader::Fresh() {
  if (spare_.empty()) return std::make_unique<Piece>();
  std::unique_ptr<Piece> piece = std::move(spare_.back());
  spare_.pop_back();
  return piece;
}

void PieceReader::Recycle(std::unique_ptr<Piece> piece) { spare_.push_back(std::move(piece)); }

void PieceReader::Put(std::unique_ptr<Piece> piece) {
  piece->done = threads_.empty();
  if (threads_.empty()) readers_[0]->Read(*piece);
  order_.push_back(std::move(piece));
  if (threads_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(order_.back().get());
  }
  changed_.notify_all();
}

std::unique_ptr<Piece> PieceReader::Take() {
  std::unique_ptr<Piece> piece = std::move(order_.front());
  order_.pop_front();
  if (threads_.empty()) return piece;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return piece->done; });
  return piece;
}

}  // namespace opscope::chrome

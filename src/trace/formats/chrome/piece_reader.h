// Threads that read pieces of a trace; results come back in the order in which pieces went in.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "trace/formats/chrome/fast_walk.h"
#include "trace/formats/chrome/raw_event.h"

namespace opscope::chrome {

struct Piece {
  std::uint64_t offset = 0;  // in the file
  std::size_t length = 0;
  std::string buffer;  // as FastWalk wants it
  RawEvents events;
  FastResult result;
  // Strings of the events are ids of the pool of this reader; those it met first in this piece.
  std::size_t reader = 0;
  std::vector<std::string_view> new_strings;
  bool done = false;

  std::uint64_t end() const { return offset + length; }
};

class PieceReader {
 public:
  // 1 = no thread: pieces are read in Put. `of_ops`: as Fields takes it.
  PieceReader(int threads, bool of_ops);
  ~PieceReader();

  // A piece that was used up, or a new one: buffers are written again rather than made again.
  std::unique_ptr<Piece> Fresh();
  void Recycle(std::unique_ptr<Piece> piece);

  void Put(std::unique_ptr<Piece> piece);
  // Waits for the oldest piece. Not when empty().
  std::unique_ptr<Piece> Take();
  bool empty() const { return order_.empty(); }
  // Enough pieces are under way to keep everybody busy.
  bool full() const { return order_.size() >= most_; }
  std::size_t readers() const { return readers_.size(); }

 private:
  struct Reader;
  void Run(std::size_t reader);

  std::size_t most_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::deque<std::unique_ptr<Piece>> order_;  // touched by the owner of this object only
  std::vector<std::unique_ptr<Piece>> spare_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece*> waiting_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace opscope::chrome

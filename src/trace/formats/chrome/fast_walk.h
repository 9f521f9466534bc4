// The fast way through events: simdjson over a piece of the file that holds whole events.
//
// simdjson refuses a piece as a whole for one raw control character or one byte that is not UTF-8,
// and stops at what is no JSON; then the lenient way goes on from where this one stopped.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "trace/formats/chrome/fields.h"
#include "trace/formats/chrome/raw_event.h"

namespace opscope::chrome {

struct FastResult {
  std::size_t used = 0;  // bytes of the piece up to the end of the last event that was read
  bool clean = false;    // that is all of it
};

class FastWalk {
 public:
  FastWalk();
  ~FastWalk();

  // How many bytes a buffer needs around the piece: one in front, these behind.
  static constexpr std::size_t kPadding = 80;

  // `buffer` = one byte to write on, the piece (whole events with commas between them), kPadding
  // bytes to write on.
  FastResult Read(std::string& buffer, Fields& fields, RawEvents& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace opscope::chrome

// Sink: where bytes go. Buffers; remembers the first failure until Finish().
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace opscope {

class Sink {
 public:
  using Write = std::function<Result<void>(std::string_view)>;

  explicit Sink(Write write) : write_(std::move(write)) {}
  // Appends to `out`, which must outlive the sink.
  explicit Sink(std::string& out);
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void Append(std::string_view bytes);
  void Append(char byte) { Append(std::string_view(&byte, 1)); }
  // Flushes and says whether everything arrived.
  Result<void> Finish();

 private:
  void Flush();

  Write write_;
  std::string buffer_;
  Result<void> state_;
};

// Writes a file so that nothing partial is ever seen under its name: a temporary name beside it,
// then a rename. `fill` gets the sink. Errors: output.unwritable.
Result<void> WriteFileAtomically(const std::string& path,
                                 const std::function<Result<void>(Sink&)>& fill);

}  // namespace opscope

// Internal to trace: a question about the names of events, asked once a name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace opscope {

class NameTest {
 public:
  NameTest(const Trace& trace, bool (*test)(std::string_view name))
      : trace_(&trace), test_(test), answers_(trace.strings.size(), kUnknown) {}

  bool operator()(std::uint32_t event) {
    std::uint8_t& answer = answers_[trace_->name[event].index()];
    if (answer == kUnknown) answer = test_(trace_->name_of(event)) ? 1 : 0;
    return answer == 1;
  }

 private:
  static constexpr std::uint8_t kUnknown = 2;

  const Trace* trace_;
  bool (*test_)(std::string_view);
  std::vector<std::uint8_t> answers_;
};

}  // namespace opscope

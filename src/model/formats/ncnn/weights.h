// Which weights a layer takes from the .bin file, in the file's order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/formats/ncnn/record.h"

namespace opscope::ncnn {

struct Slot {
  std::string_view name;
  std::vector<std::int64_t> dims;
  // A flag of four bytes in front says how the numbers are stored; else they are float32.
  bool tagged = false;
};

// An integer parameter of a layer.
std::int64_t IntOf(const Record& record, int id, std::int64_t otherwise = 0);
// A list of integers; empty when there is none.
std::vector<std::int64_t> IntsOf(const Record& record, int id);

// What the parameters say; nullopt for layers that this build does not know (what follows them in
// the file cannot be placed), and for sizes that cannot be.
std::optional<std::vector<Slot>> SlotsOf(const Record& record);

// Walks the .bin file from weight to weight.
class WeightFile {
 public:
  explicit WeightFile(Source* source) : source_(source) {}

  // Where the weight lies and what its numbers are. Without a file, or behind a place that cannot
  // be read: float32 of its size, at no place.
  Payload Next(const Slot& slot);
  // Nothing behind this place can be found.
  void Lose() { source_ = nullptr; }
  bool lost() const { return source_ == nullptr; }

 private:
  std::optional<std::uint32_t> Flag();

  Source* source_;
  std::uint64_t at_ = 0;
};

}  // namespace opscope::ncnn

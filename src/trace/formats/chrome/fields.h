// What the keys of an event mean: shared by the fast and the lenient way of reading.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "trace/formats/chrome/raw_event.h"

namespace opscope::chrome {

enum class Key : std::uint8_t {
  kOther,  // nobody reads it
  kPhase,
  kCategory,
  kName,
  kPid,
  kTid,
  kTime,
  kDuration,
  kId,
  kArgs,
};
Key KeyOf(std::string_view key);

// kIdentity: equal stays equal, whatever it is; kNumber: a quantity, absent where it is no integer.
enum class ArgKey : std::uint8_t { kOther, kIdentity, kNumber, kMillionths, kTriple, kLabel };

struct ArgField {
  std::string_view key;
  ArgKey kind = ArgKey::kOther;
  std::int64_t RawArgs::*number = nullptr;
  std::array<std::int64_t, 3> RawArgs::*triple = nullptr;
};
// Nullptr when nobody reads it.
const ArgField* FindArg(std::string_view key);

// Fills events. One an input thread: strings are interned in a pool of its own.
class Fields {
 public:
  // `of_ops`: arguments of ops are read as well.
  explicit Fields(RawEvents& out, bool of_ops = false) : out_(&out), of_ops_(of_ops) {}

  // `text`: a decoded string or a number as written.
  void Set(Key key, std::string_view text, bool is_string, RawEvent& event);
  // False when no argument of such an event is read; true also while the category is not known.
  bool NeedsArgs(const RawEvent& event);
  RawArgs& ArgsOf(RawEvent& event);
  void SetArg(const ArgField& field, std::string_view text, RawArgs& args);
  static void SetTriple(const ArgField& field, std::size_t index, std::string_view text,
                        RawArgs& args);

  // The strings met since the last call, in the order of their ids; they live as long as this.
  void TakeNewStrings(std::vector<std::string_view>& out);

 private:
  Str Intern(std::string_view text);
  void SetIdentity(std::string_view text, bool is_string, std::int64_t& number, Str& name);

  RawEvents* out_;
  bool of_ops_;
  StringPool strings_;
  std::size_t taken_ = 0;  // of strings_
  Str last_category_{0}, last_name_{0};
  std::vector<std::uint8_t> needs_;  // by category: 0 = not asked yet, 1 = no, 2 = yes
};

}  // namespace opscope::chrome

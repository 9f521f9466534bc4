// How the parts of a Document describe themselves.
//
// Every struct has a title and lists its fields once, in the order of the report:
//
//   static constexpr std::string_view kTitle = "Engine";  // its name in the schema
//   template <class V, class Self>
//   static void Visit(V& v, Self& self) {
//     v("name", self.name, {"As the engine calls itself"});
//     v.Part("path", self.path);
//   }
//
// JSON writing, JSON reading and the JSON Schema all come from that one list.
//   v(key, …)       the key is always there; an absent value is null
//   v.Part(key, …)  the key is left out while the value is absent or empty
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opscope/int128.h"

namespace opscope::doc {

// What the schema says about a field.
struct Note {
  std::string_view about = {};   // one sentence
  std::string_view unit = {};    // "ns", "bytes", "1" for a share …
  std::string_view one_of = {};  // the values a text may take: "view|free|constant"
};

// An exact number of operations, elements or bytes; absent = unknown or a formula.
using Count = std::optional<Int128>;

// An object whose keys come from the input (tensor names, symbols), in a fixed order.
template <class T>
using Map = std::vector<std::pair<std::string, T>>;

// One dim of a shape: unknown, a number, or a symbol or formula as text.
using Extent = std::variant<std::monostate, std::int64_t, std::string>;
// Absent = unknown rank.
using Shape = std::optional<std::vector<Extent>>;

}  // namespace opscope::doc

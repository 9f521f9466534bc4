// Flatbuffers read through a Source: bounded accessors without generated code.
//
// A table is an offset to fields of fixed slots, found through its vtable; a vector is a 32-bit
// count with elements behind it. Tables lie anywhere, mostly between payloads that nobody wants, so
// pages of a few KiB are kept. What lies outside of the file reads as 0 and is remembered: callers
// look at ok() where they would go on, not at every number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "base/source.h"

namespace opscope::tflite {

struct Table {
  std::uint64_t at = 0;  // 0 = absent
  std::uint64_t vtable = 0;
  std::uint16_t vtable_bytes = 0;
  std::uint16_t bytes = 0;

  bool present() const { return at != 0; }
};

struct Vector {
  std::uint64_t at = 0;  // of the first element
  std::uint32_t size = 0;
};

class Flat {
 public:
  explicit Flat(Source& source);

  Table Root();
  // Fields by slot. A field left out has its default.
  bool Has(const Table& table, int slot) { return FieldAt(table, slot, 1) != 0; }
  std::int64_t Int8(const Table& table, int slot, std::int64_t otherwise = 0);
  std::int64_t UInt8(const Table& table, int slot, std::int64_t otherwise = 0);
  std::int64_t Int32(const Table& table, int slot, std::int64_t otherwise = 0);
  std::int64_t UInt32(const Table& table, int slot, std::int64_t otherwise = 0);
  std::int64_t Int64(const Table& table, int slot, std::int64_t otherwise = 0);
  float Float32(const Table& table, int slot, float otherwise = 0);
  std::string Text(const Table& table, int slot);
  Table Child(const Table& table, int slot);
  // The vector in a slot, none longer than the file; `width` = bytes of an element.
  Vector List(const Table& table, int slot, std::size_t width);
  Table TableAt(const Vector& tables, std::uint32_t index);
  std::string TextAt(const Vector& texts, std::uint32_t index);
  std::vector<std::int64_t> Int32s(const Vector& vector);
  std::vector<std::int64_t> Int64s(const Vector& vector);
  std::vector<std::int64_t> Bytes(const Vector& vector);
  std::vector<float> Floats(const Vector& vector);

  // Raw bytes of a small payload; they are not part of the hash.
  std::optional<std::string> Payload(std::uint64_t at, std::size_t length);
  std::uint64_t size() const { return source_.size(); }
  // Counts work against what a file of this size may ask for: vectors may be shared, so that a
  // small file could ask for much.
  void Charge(std::uint64_t bytes);

  bool ok() const { return !error_.has_value(); }
  // Of the first thing that did not fit. Codes: tflite.truncated, tflite.damaged,
  // tflite.too-large.
  const Error& error() const { return *error_; }
  void Fail(std::string code, std::string message, std::uint64_t at);
  // Of every number and name read so far.
  std::string StructureHash();

 private:
  struct Page {
    std::uint64_t index = ~std::uint64_t{0};
    std::string bytes;
  };

  const Page* PageAt(std::uint64_t index);
  bool Read(std::uint64_t at, std::size_t length, char* to);
  std::uint64_t Number(std::uint64_t at, std::size_t width);
  std::int64_t Signed(std::uint64_t at, std::size_t width);
  std::int64_t Scalar(const Table& table, int slot, std::size_t width, bool is_signed,
                      std::int64_t otherwise);
  std::uint64_t FieldAt(const Table& table, int slot, std::size_t width);
  // Where an offset field points; 0 when that is outside of the file.
  std::uint64_t Follow(std::uint64_t at);
  Table OpenTable(std::uint64_t at);
  std::string TextFrom(std::uint64_t at);
  std::vector<std::int64_t> Numbers(const Vector& vector, std::size_t width, bool is_signed);
  void Hash(const void* bytes, std::size_t length);
  void HashNumber(std::int64_t number) { Hash(&number, sizeof number); }

  Source& source_;
  std::vector<Page> pages_;
  std::uint64_t budget_;
  std::optional<Error> error_;
  std::string unhashed_;
  Hasher hasher_;
};

}  // namespace opscope::tflite

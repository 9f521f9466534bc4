// Archives made to hurt: nested without end, members over each other, directories that lie. Every
// road to a model refuses them with a reason, or reads what is honest, within bounds.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/source.h"
#include "model/formats/format.h"
#include "support/graph_text.h"
#include "support/packed.h"

namespace opscope {
namespace {

struct Tried {
  std::string error;    // of unpacking it and reading what is inside; empty = a model
  std::string archive;  // of reading it as a format that is an archive itself
  double seconds = 0;
};

// As a file is opened: unpacked by content, else as it is for the formats that are archives.
Tried Try(const std::string& bytes) {
  Tried out;
  const auto begin = std::chrono::steady_clock::now();
  ImportLog log;
  const auto read = [&](Source source) -> std::string {
    const auto model = ReadModel({source, log, {}});
    return model.has_value() ? "" : model.error().code;
  };
  auto unpacked = Source::Unpack(Source::FromBytes("m.zip", bytes));
  out.error = unpacked.has_value() ? read(std::move(*unpacked)) : unpacked.error().code;
  out.archive = read(Source::FromBytes("m.pt2", bytes));
  EXPECT_FALSE(out.archive.empty());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  out.seconds = took.count();
  return out;
}

std::string OnnxBytes() {
  return *OnnxFromText("input x float32 [4]\nnode Relu (x) -> (y)\noutput y float32 [4]");
}

// Overwrites a little-endian number behind a mark of the archive, the last of its kind.
std::string With(std::string zip, const std::string& mark, std::size_t at, std::uint32_t value) {
  const std::size_t place = zip.rfind(mark) + at;
  for (std::size_t i = 0; i < 4; ++i) zip[place + i] = static_cast<char>(value >> (8 * i) & 0xff);
  return zip;
}
const std::string kEntry("PK\x01\x02"), kEnd("PK\x05\x06"), kLocal("PK\x03\x04");

TEST(ZipAttacks, ArchivesInArchives) {
  std::string zip = OnnxBytes();
  for (int depth = 0; depth < 200; ++depth) zip = Zip({{"m.zip", zip, depth % 2 == 0}});
  const Tried tried = Try(zip);
  EXPECT_FALSE(tried.error.empty());
  EXPECT_LT(tried.seconds, 2);
}

TEST(ZipAttacks, GigabytesOfZeros) {
  const std::string zeros(64 << 20, '\0');
  std::string zip = Zip({{"m.onnx", zeros}});
  for (int depth = 0; depth < 3; ++depth) zip = Zip({{"m.zip", zip}});
  const Tried tried = Try(zip);
  EXPECT_FALSE(tried.error.empty());
  EXPECT_LT(tried.seconds, 5);
}

// Thousands of members that are all the same bytes: only one is ever unpacked.
TEST(ZipAttacks, MembersOverEachOther) {
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 3000; ++i) entries.push_back({"data/" + std::to_string(i), "x"});
  entries[0] = {"data/model.json", std::string(8 << 20, ' ')};
  std::string zip = Zip(entries);
  for (std::size_t at = zip.find(kEntry); at != std::string::npos; at = zip.find(kEntry, at + 4)) {
    for (std::size_t i = 0; i < 4; ++i) zip[at + 42 + i] = '\0';  // where the member lies
  }
  const Tried tried = Try(zip);
  EXPECT_FALSE(tried.error.empty());
  EXPECT_LT(tried.seconds, 5);
}

TEST(ZipAttacks, DirectoriesThatLie) {
  const std::string good = Zip({{"m.onnx", OnnxBytes()}});
  EXPECT_EQ(Try(good).error, "");
  for (const std::uint32_t lie : {0U, 1U, 0x7fffffffU, 0xfffffffeU, 0xffffffffU}) {
    for (const std::size_t field : {std::size_t{20}, std::size_t{24}, std::size_t{42}})
      if (field != 42 || lie != 0) {  // the member does lie at 0
        EXPECT_FALSE(Try(With(good, kEntry, field, lie)).error.empty()) << field << " " << lie;
      }
    for (const std::size_t field : {std::size_t{12}, std::size_t{16}})
      if (field != 12 || lie != 1) {  // a directory that ends inside its only entry is taken
        EXPECT_FALSE(Try(With(good, kEnd, field, lie)).error.empty()) << field << " " << lie;
      }
    EXPECT_FALSE(Try(With(good, kLocal, 26, lie)).error.empty()) << lie;
  }
}

TEST(ZipAttacks, CutAnywhere) {
  const std::string good = Zip({{"data/a", "1"}, {"m.onnx", OnnxBytes()}});
  EXPECT_EQ(Try(good).error, "input.archive") << "which of two?";
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(Try(good.substr(0, size)).error.empty()) << size;
}

}  // namespace
}  // namespace opscope

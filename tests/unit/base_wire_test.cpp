#include <gtest/gtest.h>

#include "base/wire.h"

namespace opscope {
namespace {

// "1:150 2:'ab' 3:<8> 4:<4>", or an error as !code@place behind what was read before.
std::string Show(WireReader reader, Source& source) {
  std::string out;
  while (true) {
    const auto field = reader.Next();
    if (!field) return out + "!" + field.error().code + "@" + field.error().place;
    if (!field->has_value()) return out;
    const WireField& f = **field;
    out += std::to_string(f.number) + ":";
    switch (f.type) {
      case WireType::kVarint:
        out += std::to_string(f.value);
        break;
      case WireType::kFixed64:
        out += "d" + std::to_string(f.value);
        break;
      case WireType::kFixed32:
        out += "f" + std::to_string(f.value);
        break;
      case WireType::kBytes:
        out += "'" + std::string(*reader.Bytes(f)) + "'";
        break;
    }
    out += " ";
    EXPECT_LE(reader.position(), source.size());
  }
}
std::string Show(std::string_view bytes) {
  Source source = Source::FromBytes("x", std::string(bytes));
  return Show(WireReader(source, 0, bytes.size()), source);
}

TEST(WireReader, ReadsEveryType) {
  EXPECT_EQ(Show({"\x08\x96\x01", 3}), "1:150 ");
  EXPECT_EQ(Show("\x12\x02"
                 "ab"),
            "2:'ab' ");
  EXPECT_EQ(Show({"\x19\x01\0\0\0\0\0\0\x80", 9}), "3:d9223372036854775809 ");
  EXPECT_EQ(Show({"\x25\x02\0\0\0", 5}), "4:f2 ");
  EXPECT_EQ(Show("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "1:18446744073709551615 ");
  EXPECT_EQ(Show("\xf8\xff\xff\xff\x0f\x07"), "536870911:7 ");  // the largest field number
  EXPECT_EQ(Show(""), "");
  EXPECT_EQ(Show({"\x12\0\x08\x05", 4}), "2:'' 1:5 ");
}

TEST(WireReader, ReportsDamage) {
  EXPECT_EQ(Show({"\x00", 1}), "!wire.bad-tag@byte 0");                 // field number 0
  EXPECT_EQ(Show("\x08\x05\x0b"), "1:5 !wire.bad-tag@byte 2");          // a group
  EXPECT_EQ(Show("\x0f"), "!wire.bad-tag@byte 0");                      // type 7
  EXPECT_EQ(Show("\xf8\xff\xff\xff\x1f\x07"), "!wire.bad-tag@byte 0");  // number of 30 bits
  EXPECT_EQ(Show("\x08"), "!wire.truncated@byte 0");
  EXPECT_EQ(Show("\x08\x96"), "!wire.truncated@byte 0");
  EXPECT_EQ(Show("\x12\x03"
                 "ab"),
            "!wire.truncated@byte 0");
  EXPECT_EQ(Show({"\x19\x01\0\0\0", 5}), "!wire.truncated@byte 0");
  EXPECT_EQ(Show({"\x25\x02\0\0", 4}), "!wire.truncated@byte 0");
  EXPECT_EQ(Show("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "!wire.truncated@byte 0");
  EXPECT_EQ(Show("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
            "!wire.bad-varint@byte 0");
}

TEST(WireReader, StaysInsideItsMessage) {
  // Field 1 holds a message whose own field 2 claims three bytes, one more than there are.
  Source source = Source::FromBytes("x", "\x0a\x04\x12\x03zz\x18\x07");
  WireReader outer(source, 0, source.size());
  const auto message = outer.Next();
  ASSERT_TRUE(message);
  EXPECT_EQ(Show(outer.Message(**message), source), "!wire.truncated@byte 2");
  EXPECT_EQ((**outer.Next()).value, 7U);
}

TEST(WireReader, AnEndBeyondTheInputIsDamage) {
  Source source = Source::FromBytes("x", "\x08\x05\x12\x05zz");
  EXPECT_EQ(Show(WireReader(source, 0, 1000), source), "1:5 !wire.truncated@byte 2");
  EXPECT_EQ(Show(WireReader(source, 6, 1000), source), "!wire.truncated@byte 6");
}

TEST(WireReader, BytesAreBounded) {
  Source source = Source::FromBytes("x",
                                    "\x12\x04"
                                    "abcd\x08\x01");
  WireReader reader(source, 0, source.size());
  const WireField bytes = **reader.Next();
  const WireField number = **reader.Next();
  EXPECT_EQ(*reader.Bytes(bytes, 4), "abcd");
  EXPECT_EQ(reader.Bytes(bytes, 3).error().code, "wire.too-long");
  EXPECT_EQ(reader.Bytes(number).error().code, "wire.wrong-type");
}

TEST(WireReader, ReadsPackedNumbers) {
  Source source = Source::FromBytes("x", "\x0a\x04\x01\x96\x01\x03");
  WireReader outer(source, 0, source.size());
  WireReader packed = outer.Message(**outer.Next());
  std::vector<std::uint64_t> values;
  while (!packed.done()) values.push_back(*packed.Varint());
  EXPECT_EQ(values, (std::vector<std::uint64_t>{1, 150, 3}));
  EXPECT_EQ(packed.Varint().error().code, "wire.truncated");
}

TEST(WireReader, FloatsComeBackAsTheyWere) {
  EXPECT_EQ(AsFloat(0x3fc00000U), 1.5F);
  EXPECT_EQ(AsDouble(0x3ff8000000000000U), 1.5);
}

}  // namespace
}  // namespace opscope

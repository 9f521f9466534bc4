// What every output keeps, whatever the document holds: names do no harm, widths are kept, numbers
// agree, sizes and times stay bounded.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <regex>
#include <sstream>

#include "base/text.h"
#include "document/document_json.h"
#include "document/format.h"
#include "report/emit/emitter.h"
#include "report/emit/view.h"
#include "support/sample_document.h"

namespace opscope {
namespace {

std::string Emit(std::string_view format, const doc::Document& document,
                 const EmitOptions& options = {}) {
  std::string out;
  Sink sink(out);
  EXPECT_TRUE(FindEmitter(format)->emit(document, options, sink));
  EXPECT_TRUE(sink.Finish());
  return out;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// ---- names from files

TEST(EmitHostile, NoControlCharactersAndValidUtf8Anywhere) {
  for (const Emitter& emitter : Emitters()) {
    const std::string out = Emit(emitter.id, testing::HostileDocument());
    EXPECT_EQ(ValidUtf8(out), out) << emitter.id;
    for (const char c : out) {
      const auto byte = static_cast<unsigned char>(c);
      EXPECT_TRUE(byte >= 0x20 || c == '\n' || c == '\r') << emitter.id << ": byte " << int{byte};
    }
    // JSON keeps names as they are; the right-to-left override is a character like any other there.
    if (emitter.id != "json") {
      EXPECT_EQ(out.find("\xe2\x80\xae"), std::string::npos) << emitter.id;
    }
  }
}

TEST(EmitHostile, HtmlHasNoMarkupFromNames) {
  const std::string out = Emit("html", testing::HostileDocument());
  EXPECT_EQ(out.find("<script"), std::string::npos);
  EXPECT_EQ(out.find("<img"), std::string::npos);
  EXPECT_EQ(out.find("alert(1)</"), std::string::npos);
  EXPECT_NE(out.find("&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos);
  EXPECT_NE(out.find("&amp;amp;&amp;lt;"), std::string::npos);
  EXPECT_NE(out.find("default-src 'none'"), std::string::npos);
  // Nothing is fetched from anywhere.
  const std::string plain = Emit("html", testing::MeasuredDocument());
  for (const char* what : {"http:", "https:", "src=", "url(", "@import", "<link"})
    EXPECT_EQ(plain.find(what), std::string::npos) << what;
}

TEST(EmitHostile, CsvHasTheSameCellsInEveryLineAndNoFormulas) {
  for (const doc::Document& document : {testing::HostileDocument(), testing::MeasuredDocument(),
                                        testing::SymbolicDocument(), testing::ProfileDocument()}) {
    const std::string out = Emit("csv", document);
    std::vector<std::size_t> cells;
    std::size_t line = 1;
    bool quoted = false;
    bool begins = true;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const char c = out[i];
      if (c == '"') quoted = !quoted;
      if (begins) {
        EXPECT_EQ(std::string_view("=+@").find(c), std::string_view::npos) << i;
      }
      begins = !quoted && (c == ',' || c == '\n');
      if (!quoted && c == ',') ++line;
      if (!quoted && c == '\n') {
        EXPECT_EQ(out[i - 1], '\r');
        cells.push_back(line);
        line = 1;
      }
    }
    EXPECT_EQ(std::count(cells.begin(), cells.end(), cells.front()),
              static_cast<std::ptrdiff_t>(cells.size()));
    EXPECT_EQ(out.find("\"=HYPERLINK"), std::string::npos);
  }
  EXPECT_NE(
      Emit("csv", testing::HostileDocument()).find("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""),
      std::string::npos);
}

TEST(EmitHostile, MarkdownTablesKeepTheirColumns) {
  const std::string out = Emit("md", testing::HostileDocument());
  EXPECT_EQ(out.find("<script"), std::string::npos);
  std::size_t columns = 0;
  for (const std::string& line : Lines(out)) {
    if (line.empty() || line.front() != '|') {
      columns = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '|') {
        ++bars;
      }
    }
    if (columns == 0) columns = bars;
    EXPECT_EQ(bars, columns) << line;
  }
}

TEST(EmitHostile, TheNextCommandIsQuotedOrLeftOut) {
  doc::Document document = testing::MeasuredDocument();
  const auto next = [&document](const std::string& name) {
    document.static_part->layers[9].name = name;  // the hottest
    const std::vector<std::string> lines = Lines(Emit("text", document));
    return lines.back();
  };
  EXPECT_EQ(next("head/fc"), "next: opscope explain detector.onnx head/fc");
  EXPECT_EQ(next("a b"), "next: opscope explain detector.onnx 'a b'");
  EXPECT_EQ(next("$(rm -rf ~)'"), "next: opscope explain detector.onnx '$(rm -rf ~)'\\'''");
  EXPECT_EQ(next("-rf").find("next:"), std::string::npos);
  EXPECT_EQ(next("bell\x07").find("next:"), std::string::npos);
}

// ---- widths

TEST(EmitText, NoLineIsWiderThanAsked) {
  for (const std::size_t width : {60U, 72U, 80U, 100U, 160U}) {
    for (const Language language : {Language::kEnglish, Language::kChinese}) {
      for (const doc::Document& document :
           {testing::MeasuredDocument(), testing::SymbolicDocument(), testing::ProfileDocument(),
            testing::HostileDocument()}) {
        EmitOptions options;
        options.width = width;
        options.language = language;
        for (const std::string& line : Lines(Emit("text", document, options)))
          EXPECT_LE(DisplayWidth(line), width) << line;
      }
    }
  }
}

TEST(EmitText, OneScreen) {
  EXPECT_LE(Lines(Emit("text", testing::MeasuredDocument())).size(), 40u);
  EXPECT_LE(Lines(Emit("text", testing::LargeDocument(2000))).size(), 40u);
  EXPECT_LE(Lines(Emit("text", testing::SymbolicDocument())).size(), 40u);
}

TEST(EmitText, AsciiOnlyWhenAsked) {
  EmitOptions options;
  options.ascii = true;
  options.language = Language::kChinese;
  for (const char c : Emit("text", testing::HostileDocument(), options))
    EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(EmitText, ColourAddsEscapesAndNothingElse) {
  EmitOptions options;
  options.colour = true;
  const std::string coloured = Emit("text", testing::MeasuredDocument(), options);
  static const std::regex kEscape("\x1b\\[[0-9;]*m");
  EXPECT_NE(coloured.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::regex_replace(coloured, kEscape, ""), Emit("text", testing::MeasuredDocument()));
}

TEST(EmitText, NothingThatIsUnknownLooksLikeZero) {
  const std::string out = Emit("text", testing::SymbolicDocument());
  EXPECT_NE(out.find("N*25589760"), std::string::npos);
  EXPECT_NE(out.find("lower bound; 1 of 12 nodes uncounted: com.acme.Foo (unknown op)"),
            std::string::npos);
}

// ---- numbers

// The parts printed on one line add up to the wall printed there, whatever they are.
TEST(EmitNumbers, BalanceAddsUpAsPrinted) {
  std::uint64_t random = 12345;
  const auto next = [&random](std::int64_t below) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((random >> 33) % static_cast<std::uint64_t>(below));
  };
  doc::Document document = testing::MeasuredDocument();
  for (int i = 0; i < 2000; ++i) {
    doc::Run& run = document.runs[1];
    const std::int64_t scale = std::int64_t{1} << (i % 40);
    run.iterations->used = 1 + next(30);
    doc::Reconciliation& sums = *run.reconciliation;
    sums.layers_ns = next(1000 * scale);
    sums.runtime_ns = next(100 * scale);
    sums.unmatched_ns = next(10 * scale);
    sums.gap_ns = next(100 * scale);
    sums.wall_ns = sums.layers_ns + sums.runtime_ns + sums.unmatched_ns + *sums.gap_ns;
    const View view = MakeView(document);
    ASSERT_TRUE(view.balance);
    EXPECT_EQ(
        view.balance->layers + view.balance->runtime + view.balance->unmatched + view.balance->gap,
        view.balance->wall);
  }
}

// The wall column of a CSV adds up to the wall of the report.
TEST(EmitNumbers, CsvWallColumnAddsUp) {
  for (const doc::Document& document : {testing::MeasuredDocument(), testing::ProfileDocument()}) {
    const std::vector<std::string> lines = Lines(Emit("csv", document));
    std::int64_t sum = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      std::vector<std::string> cells;
      std::istringstream line(lines[i]);
      for (std::string cell; std::getline(line, cell, ',');) cells.push_back(cell);
      if (!cells[26].empty()) sum += std::stoll(cells[26]);
    }
    EXPECT_EQ(sum, *document.runs.back().reconciliation->wall_ns);
  }
}

// The same numbers, rounded by the same functions, stand in every output for people.
TEST(EmitNumbers, OutputsAgree) {
  const doc::Document document = testing::MeasuredDocument();
  const doc::Totals& totals = document.static_part->totals;
  const std::vector<std::string> wanted = {
      FormatTime(*document.runs[0].latency->median),
      FormatPercent(*document.joined[9].share),
      FormatCount(*totals.parameters),
  };
  for (const char* format : {"text", "md", "html"}) {
    const std::string out = Emit(format, document);
    for (const std::string& number : wanted)
      EXPECT_NE(out.find(number), std::string::npos) << format << " lacks " << number;
  }
  for (const char* format : {"json", "csv"}) {
    const std::string out = Emit(format, document);
    for (const std::int64_t number : {*document.joined[9].wall_ns, *document.joined[9].median_ns})
      EXPECT_NE(out.find(std::to_string(number)), std::string::npos) << format;
  }
}

TEST(EmitNumbers, TypesAddUpToTheWall) {
  for (const doc::Document& document : {testing::MeasuredDocument(), testing::ProfileDocument()}) {
    const View view = MakeView(document);
    for (const std::size_t most : {0U, 1U, 3U, 100U}) {
      std::int64_t sum = 0;
      for (const TypeSlice& slice : TopTypes(view, most)) sum += slice.wall_ns;
      EXPECT_EQ(sum, *document.runs.back().reconciliation->wall_ns);
    }
  }
}

// ---- sizes

TEST(EmitSize, HundredThousandLayersAsJsonInASecond) {
  const doc::Document document = testing::LargeDocument(100'000);
  std::uint64_t bytes = 0;
  const auto begin = std::chrono::steady_clock::now();
  Sink sink([&bytes](std::string_view block) -> Result<void> {
    bytes += block.size();
    return {};
  });
  EXPECT_TRUE(FindEmitter("json")->emit(document, {}, sink));
  EXPECT_TRUE(sink.Finish());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(bytes, 10'000'000u);
  RecordProperty("seconds", std::to_string(seconds.count()));
}

TEST(EmitSize, TheHtmlPageStaysBelowItsLimitAndSaysWhatIsMissing) {
  const doc::Document document = testing::LargeDocument(20'000);
  EmitOptions options;
  options.max_report_bytes = 2'000'000;
  const std::string out = Emit("html", document, options);
  EXPECT_LE(out.size(), options.max_report_bytes);
  EXPECT_GT(out.size(), options.max_report_bytes / 2);
  EXPECT_NE(out.find("layers with the least time are left out"), std::string::npos);
  // The hottest of each kind are among those that stay.
  EXPECT_NE(out.find("stage0/head/fc"), std::string::npos);
  const std::string whole = Emit("html", document);
  EXPECT_EQ(whole.find("are left out"), std::string::npos);
}

// ---- the list of emitters

TEST(Emitters, ByIdAndByFileName) {
  EXPECT_EQ(FindEmitter("md")->id, "md");
  EXPECT_EQ(FindEmitter("yaml"), nullptr);
  EXPECT_EQ(EmitterForFile("out/report.json")->id, "json");
  EXPECT_EQ(EmitterForFile("REPORT.HTML")->id, "html");
  EXPECT_EQ(EmitterForFile("a.b/report"), nullptr);
  EXPECT_EQ(EmitterForFile("report.xls"), nullptr);
}

TEST(Emitters, AnEmptyDocumentIsShownByAll) {
  for (const Emitter& emitter : Emitters()) {
    Emit(emitter.id, doc::Document());
    std::string out;
    Sink sink(out);
    EXPECT_TRUE(emitter.emit_all(doc::Reports(), {}, sink));
    EXPECT_TRUE(sink.Finish());
  }
}

}  // namespace
}  // namespace opscope

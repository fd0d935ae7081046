// The file that write_page makes, read back without a browser.
#include "trace/page/page.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include <bit>
#include <cstdint>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "trace_sample.hpp"

namespace lares::trace {
namespace {

using Json = nlohmann::json;
using Values = std::vector<std::int64_t>;

std::string page_of(const Trace& trace, const Findings& findings = {}) {
  std::ostringstream out;
  const PageRun run{trace, findings};
  write_page(out, {&run, 1});
  return out.str();
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return "";
  const std::size_t start = begin + from.size();
  return text.substr(start, text.find(to, start) - start);
}

Json facts_of(const std::string& page) {
  return Json::parse(between(page, R"(<script type="application/json" id="facts">)", "</script>"));
}

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<std::uint32_t>(digits.find(c));
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes.push_back(static_cast<char>(bits >> static_cast<unsigned>(have) & 0xFFU));
  }
  return bytes;
}

std::string gunzip(std::string packed, std::size_t size) {
  std::string bytes(size + 1, '\0');  // zlib wants room even for nothing
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.total_out, size);
  inflateEnd(&stream);
  bytes.resize(size);
  return bytes;
}

std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

// Reads a run's columns as the page does; -1 stands for none.
class Reader {
 public:
  explicit Reader(std::string page) : page_(std::move(page)) {}

  std::vector<std::size_t> rows(const std::string& table) const {
    const std::string tag = R"(<script type="application/x-lares-table" data-run="0" data-table=")";
    return Json::parse(between(page_, tag + table + "\">", "</script>"))
        .get<std::vector<std::size_t>>();
  }

  Values column(const std::string& table, const std::string& name) const {
    const std::string tag =
        R"(<script type="application/x-lares-column" data-run="0" data-table=")";
    const std::string rest =
        between(page_, tag + table + "\" data-column=\"" + name + "\" ", "</script>");
    const std::string code = between(rest, "data-code=\"", "\"");
    const auto mask = static_cast<unsigned>(std::stoul(between(rest, "data-planes=\"", "\"")));
    const std::vector<std::size_t> of = rows(table);
    return decode(joined(rest.substr(rest.find('>') + 1), mask, of.back()), code, of);
  }

 private:
  static std::vector<std::uint64_t> joined(const std::string& text, unsigned mask,
                                           std::size_t count) {
    std::vector<std::uint64_t> values(count, 0);
    if (mask == 0) return values;
    const auto planes = static_cast<std::size_t>(std::popcount(mask));
    const std::string bytes = gunzip(from_base64(text), planes * count);
    std::size_t at = 0;
    for (unsigned plane = 0; plane < 8; ++plane) {
      if ((mask >> plane & 1U) == 0) continue;
      for (std::uint64_t& value : values) {
        value |= std::uint64_t{static_cast<unsigned char>(bytes[at++])} << (8 * plane);
      }
    }
    return values;
  }

  static Values decode(const std::vector<std::uint64_t>& raw, const std::string& code,
                       const std::vector<std::size_t>& of) {
    Values values(raw.begin(), raw.end());
    std::int64_t last = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (code == "signed") values[i] = from_zigzag(raw[i]);
      if (code == "index") values[i] = static_cast<std::int64_t>(raw[i]) - 1;
      if (code == "link") values[i] = raw[i] == 0 ? -1 : last += from_zigzag(raw[i] - 1);
    }
    if (code != "steps") return values;
    for (std::size_t t = 0; t + 1 < of.size(); ++t) {
      for (std::size_t i = of[t] + 1; i < of[t + 1]; ++i) values[i] += values[i - 1];
    }
    return values;
  }

  std::string page_;
};

template <typename Row, typename Get>
Values values_of(const std::vector<Row>& rows, Get get) {
  Values values;
  for (const Row& row : rows) values.push_back(get(row));
  return values;
}

std::int64_t or_none(std::uint32_t index) { return index == none ? -1 : std::int64_t{index}; }
std::int64_t domain_or_none(std::uint16_t domain) {
  return domain == no_domain ? -1 : std::int64_t{domain};
}
std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

TEST(TracePage, ColumnsOfGrainsComeBack) {
  Trace trace = sample_trace({.threads = 3, .grains_per_thread = 200});
  trace.grains[5].bytes = std::uint64_t{1} << 52U;
  trace.grains[7].home = no_domain;
  trace.grains[9].construct = none;
  trace.grains[11].ready = trace.grains[11].begin + 5;  // clocks of two cores may disagree
  const Reader reader(page_of(trace));
  const auto expect = [&](const char* name, auto get) {
    EXPECT_EQ(reader.column("grains", name), values_of(trace.grains, get)) << name;
  };
  expect("begin", [](const Grain& g) { return as_signed(g.begin); });
  expect("length", [](const Grain& g) { return as_signed(g.length()); });
  expect("inside", [](const Grain& g) { return as_signed(g.length() - g.self); });
  expect("queued", [](const Grain& g) { return as_signed(g.begin - g.ready); });
  expect("held", [](const Grain& g) { return as_signed(g.ready - g.created); });
  expect("cost", [](const Grain& g) { return as_signed(g.create_cost); });
  expect("bytes", [](const Grain& g) { return as_signed(g.bytes); });
  expect("first", [](const Grain& g) { return as_signed(g.first); });
  expect("iterations", [](const Grain& g) { return std::int64_t{g.iterations}; });
  expect("construct", [](const Grain& g) { return or_none(g.construct); });
  expect("creator", [](const Grain& g) { return or_none(g.creator); });
  expect("released_by", [](const Grain& g) { return or_none(g.released_by); });
  expect("part_of", [](const Grain& g) { return or_none(g.part_of); });
  expect("region", [](const Grain& g) { return or_none(g.region); });
  expect("home", [](const Grain& g) { return domain_or_none(g.home); });
  expect("domain", [](const Grain& g) { return domain_or_none(g.domain); });
  expect("stolen", [](const Grain& g) { return domain_or_none(g.stolen_from); });
  expect("depth", [](const Grain& g) { return std::int64_t{g.depth}; });
  expect("locality", [](const Grain& g) { return static_cast<std::int64_t>(g.locality); });
  expect("located", [](const Grain& g) { return static_cast<std::int64_t>(g.located); });
  expect("flags", [](const Grain& g) { return std::int64_t{g.flags}; });
  EXPECT_EQ(reader.rows("grains"), trace.grains_of);
}

TEST(TracePage, TheOtherColumnsComeBack) {
  Trace trace = sample_trace();
  trace.loops.push_back({.begin = 1'000,
                         .end = 9'000,
                         .iterations = std::uint64_t{1} << 40U,
                         .chunk = 16,
                         .thread = 2,
                         .construct = 2,
                         .region = 0});
  trace.moves.list = {{100, 7, 0x1000, 4096, 0, 2, 7, 1, memory::MoveKind::fetch},
                      {200, 9, 0x9000, 8192, 0, none, 7, 1, memory::MoveKind::call}};  // in no lane
  trace.moves.threads = {{.at = 50, .thread = 1, .core = 3, .domain = 0}, {.at = 60, .thread = 2}};
  Findings findings;
  findings.critical_path = {3, 99, 12};
  findings.traffic = {{1, 2, 3, 4}, {}, {std::uint64_t{1} << 45U, 0, 0, 9}};
  const Reader reader(page_of(trace, findings));
  EXPECT_EQ(reader.column("waits", "begin"),
            values_of(trace.waits, [](const Wait& w) { return as_signed(w.begin); }));
  EXPECT_EQ(reader.column("waits", "kind"),
            values_of(trace.waits, [](const Wait& w) { return static_cast<int>(w.kind); }));
  EXPECT_EQ(reader.rows("loops"), (std::vector<std::size_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(reader.column("loops", "length"), Values{8'000});
  EXPECT_EQ(reader.column("loops", "iterations"), Values{std::int64_t{1} << 40U});
  EXPECT_EQ(reader.rows("moves"), (std::vector<std::size_t>{0, 0, 1, 3, 3}));
  EXPECT_EQ(reader.column("moves", "at"), (Values{50, 60, 100}));
  EXPECT_EQ(reader.column("moves", "kind"), (Values{5, 5, 2}));
  EXPECT_EQ(reader.column("moves", "bytes"), (Values{0, 0, 4096}));
  EXPECT_EQ(reader.column("moves", "domain"), (Values{0, -1, 1}));
  EXPECT_EQ(reader.column("moves", "core"), (Values{3, -1, -1}));
  EXPECT_EQ(reader.column("regions", "team"), Values{4});
  EXPECT_EQ(reader.column("regions", "outer"), Values{-1});
  EXPECT_EQ(reader.column("critical_path", "grain"), (Values{3, 99, 12}));
  EXPECT_EQ(reader.column("traffic", "bytes"),
            (Values{1, 2, 3, 4, 0, 0, 0, 0, std::int64_t{1} << 45U, 0, 0, 9}));
}

TEST(TracePage, AnEmptyTraceHasAPage) {
  Trace trace;
  trace.grains_of = {0};
  const std::string page = page_of(trace);
  EXPECT_EQ(Reader(page).column("grains", "begin"), Values{});
  EXPECT_EQ(facts_of(page)["runs"].size(), 1U);
}

TEST(TracePage, NamesCannotBecomeMarkup) {
  Trace trace = sample_trace();
  const std::string evil = "</script><script>alert(1)</script>";
  const std::string escapes = "line\nnext \x1b[31mred\x1b[0m <!-- & \xff";
  const std::string before = page_of(trace);
  trace.constructs[0].place = evil;
  trace.constructs[1].place = escapes;
  trace.about.command = {evil};
  trace.notes = {evil};
  const std::string page = page_of(trace);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  const auto scripts = [](const std::string& text) {
    const std::regex tag("</script>");
    return std::distance(std::sregex_iterator(text.begin(), text.end(), tag), {});
  };
  EXPECT_EQ(scripts(page), scripts(before));
  const Json constructs = facts_of(page)["runs"][0]["trace"]["constructs"];
  EXPECT_EQ(constructs[0]["place"], evil);
  EXPECT_EQ(constructs[1]["place"], "line\nnext \x1b[31mred\x1b[0m <!-- & \xef\xbf\xbd");
}

TEST(TracePage, HasLeastTimesOnlyOfAMachine) {
  const Trace trace = sample_trace({.grains_per_thread = 5});
  const Findings findings;
  EXPECT_TRUE(facts_of(page_of(trace))["runs"][0]["model"].is_null());
  const std::string evil = "</script><img src=x>";
  LeastTimes times{evil, {evil}, {{0, 4e6, 0, {}}, {none, 0, 0, {}}}};
  times.rows[0].least = {{{0.003}, model::Bottleneck::machine, {}, {}},
                         {0.004},
                         0.75,
                         {0.004},
                         model::Verdict::memory_bound};
  times.rows[1].least.measured = {0.001};
  std::ostringstream out;
  const PageRun run{trace, findings, &times};
  write_page(out, {&run, 1});
  EXPECT_EQ(out.str().find("<img"), std::string::npos);
  const Json model = facts_of(out.str())["runs"][0]["model"];
  EXPECT_EQ(model["machine"], evil);
  EXPECT_EQ(model["notes"][0], evil);
  EXPECT_EQ(model["remarks"].size(), 1U);
  const Json& known = model["rows"][0];
  EXPECT_EQ(known["construct"], 0);
  EXPECT_DOUBLE_EQ(known["least"], 3e6);
  EXPECT_DOUBLE_EQ(known["measured"], 4e6);
  EXPECT_EQ(known["verdict"], "memory-bound: memory that all cores share");
  const Json& silent = model["rows"][1];
  for (const char* field : {"construct", "bytes", "least", "efficiency", "all_local"}) {
    EXPECT_TRUE(silent[field].is_null()) << field;
  }
  EXPECT_DOUBLE_EQ(silent["measured"], 1e6);
  EXPECT_EQ(silent["verdict"], "names no bytes");
}

TEST(TracePage, AsksNothingOfTheNetwork) {
  const std::string page = page_of(sample_trace());
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_EQ(page.find("//cdn"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("connect-src"), std::string::npos);
}

TEST(TracePage, IsPutTogetherWhole) {
  const std::string page = page_of(sample_trace());
  EXPECT_EQ(page.find("<!-- include"), std::string::npos);
  EXPECT_EQ(page.find("<!-- data"), std::string::npos);
  EXPECT_EQ(page.substr(0, 15), "<!DOCTYPE html>");
  EXPECT_EQ(page.substr(page.size() - 8), "</html>\n");
  EXPECT_EQ(page.find("innerHTML"), std::string::npos);
}

TEST(TracePage, HoldsTwoRunsAndNoMore) {
  const Trace trace = sample_trace({.grains_per_thread = 5});
  const Findings findings;
  const std::vector<PageRun> runs(3, PageRun{trace, findings});
  std::ostringstream out;
  write_page(out, runs);
  EXPECT_EQ(facts_of(out.str())["runs"].size(), 2U);
  EXPECT_NE(out.str().find("data-run=\"1\""), std::string::npos);
  EXPECT_EQ(out.str().find("data-run=\"2\""), std::string::npos);
}

TEST(TracePage, SaysWhatWasFound) {
  const Trace trace = sample_trace({.grains_per_thread = 5});
  Findings findings;
  findings.verdict = {"One.", "Two.", "Three."};
  findings.diagnoses.push_back({.id = "too-fine",
                                .severity = Severity::problem,
                                .title = "t",
                                .evidence = "e",
                                .threshold = "h",
                                .remedy = "lares run <x>",
                                .gain = 0.25,
                                .gain_how = "g",
                                .construct = none,
                                .from = 5,
                                .to = 9,
                                .grains = {1, 2}});
  const Json found = facts_of(page_of(trace, findings))["runs"][0]["findings"];
  EXPECT_EQ(found["verdict"][2], "Three.");
  EXPECT_EQ(found["diagnoses"][0]["severity"], "problem");
  EXPECT_EQ(found["diagnoses"][0]["remedy"], "lares run <x>");
  EXPECT_TRUE(found["diagnoses"][0]["construct"].is_null());
  EXPECT_EQ(found["diagnoses"][0]["grains"], (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace lares::trace

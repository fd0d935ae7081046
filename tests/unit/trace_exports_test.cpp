#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "trace/exports/exports.hpp"
#include "trace/exports/lanes.hpp"
#include "trace/exports/otf2_tasks.hpp"
#include "trace/exports/protobuf.hpp"
#include "trace/exports/text.hpp"
#include "trace_sample.hpp"

namespace lares::trace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class TraceExports : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lares-exports-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  static std::string contents(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string written(const Trace& trace, ExportFormat format) {
    const std::string file = path("out");
    const auto result = write_export(trace, format, file, Existing::replace);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().sentence);
    return contents(file);
  }

  fs::path folder_;
};

/// A task in a taskwait of another, a part of an untied task elsewhere, a chunk, and a task that
/// the trace's end cuts off.
Trace small_trace() {
  Trace trace;
  trace.domains = 2;
  trace.duration = 1000;
  trace.constructs = {{"a.c:3 outer", "a.out", 16, false},
                      {"loop \"x\", <b>\n\x1B[31m\xFF", "a.out", 32, true}};
  trace.threads = {{.process = 7, .number = 0, .domain = 0, .core = 0},
                   {.process = 7, .number = 1, .domain = no_domain, .core = no_domain}};
  trace.regions = {{.begin = 10, .end = 900, .team = 2, .master = 0}};
  const auto grain = [&](Index thread, Time begin, Time end, Index construct) {
    Grain one;
    one.thread = thread;
    one.begin = begin;
    one.end = end;
    one.self = end - begin;
    one.created = one.ready = begin;
    one.construct = construct;
    one.region = 0;
    trace.grains.push_back(one);
    return static_cast<Index>(trace.grains.size() - 1);
  };
  const Index outer = grain(0, 100, 400, 0);
  const Index inner = grain(0, 200, 300, none);
  trace.grains[inner].creator = outer;
  trace.grains[inner].created = 150;
  const Index chunk = grain(0, 500, 600, 1);
  trace.grains[chunk].flags = grain_flag::is_chunk;
  trace.grains[chunk].iterations = 8;
  const Index part = grain(1, 450, 460, 0);
  trace.grains[part].part_of = outer;
  trace.grains[part].flags = grain_flag::goes_on;
  const Index cut = grain(1, 700, 1000, 0);
  trace.grains[cut].flags = grain_flag::unfinished;
  trace.grains[cut].created_on = 1;
  trace.grains_of = {0, 3, 5};
  trace.waits = {{.begin = 190, .end = 310, .idle = 20, .thread = 0, .region = 0}};
  trace.loops = {
      {.begin = 490, .end = 610, .iterations = 8, .thread = 0, .construct = 1, .region = 0}};
  return trace;
}

Trace empty_trace() {
  Trace trace;
  trace.grains_of = {0};
  return trace;
}

// ---- text
// ----------------------------------------------------------------------------------------

TEST(TraceExportText, WhatIsNoCharacterOrControlsATerminalIsReplaced) {
  EXPECT_EQ(clean_text("a\tb\nc \xC3\xA4 \xF0\x9F\x98\x80"), "a\tb\nc \xC3\xA4 \xF0\x9F\x98\x80");
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(clean_text("\x1B[31m\r"), r + "[31m" + r);
  EXPECT_EQ(clean_text("\xC2\x9B"), r) << "a control character of two bytes";
  EXPECT_EQ(clean_text("\xFF\xC3"), r + r);
  EXPECT_EQ(clean_text("\xC0\x80"), r + r) << "overlong";
  EXPECT_EQ(clean_text("\xED\xA0\x80"), r + r + r) << "a surrogate";
  EXPECT_EQ(clean_text("\xF4\x90\x80\x80"), r + r + r + r) << "too great";
  EXPECT_EQ(clean_text(std::string_view("\0", 1)), r);
}

TEST(TraceExportText, Quotes) {
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("a,\"b\"\nc"), "\"a,\"\"b\"\"\nc\"");
  EXPECT_EQ(json_string("a\"\\\n\t</script>"), "\"a\\\"\\\\\\n\\t\\u003c/script>\"");
}

TEST(TraceExportText, PlacesInTheirParts) {
  const SourcePlace place = source_place({"src/a.c:42 sweep", "", 0, false});
  EXPECT_EQ(place.name, "src/a.c:42 sweep");
  EXPECT_EQ(place.file, "src/a.c");
  EXPECT_EQ(place.line, 42U);
  for (const char* other : {"sweep", "a.c:", ":3 x", "a::b x", "a.c:3x", "", "a.c:99999999999"}) {
    EXPECT_EQ(source_place({other, "", 0, false}).file, "") << other;
  }
}

TEST(TraceExportProtobuf, EncodesAsTheGuideSays) {
  ProtoMessage message;
  message.add_number(1, 150);  // the guide's example: 08 96 01
  message.add_text(2, "testing");
  message.add_fixed64(47, 0x0102030405060708);
  EXPECT_EQ(message.bytes(),
            std::string("\x08\x96\x01\x12\x07testing\xF9\x02\x08\x07\x06\x05\x04\x03\x02\x01"));
  ProtoMessage outer;
  outer.add_message(3, message);
  EXPECT_EQ(outer.bytes().substr(0, 2), std::string("\x1A") + static_cast<char>(22));
}

// ---- lanes
// ---------------------------------------------------------------------------------------

void expect_nested(const std::vector<Edge>& edges) {
  std::vector<Span> open;
  Time last = 0;
  for (const Edge& edge : edges) {
    EXPECT_GE(edge.at, last);
    last = edge.at;
    if (edge.opens) {
      open.push_back(edge.span);
      continue;
    }
    ASSERT_FALSE(open.empty());
    EXPECT_EQ(open.back().kind, edge.span.kind);
    EXPECT_EQ(open.back().index, edge.span.index);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

constexpr SpanKinds all_kinds = bit_of(SpanKind::team) | bit_of(SpanKind::loop) |
                                bit_of(SpanKind::wait) | bit_of(SpanKind::grain);

TEST(TraceExportLanes, NestAndHaveEverything) {
  const Trace trace = sample_trace();
  const Lanes lanes(trace, all_kinds);
  std::size_t grains = 0;
  std::size_t waits = 0;
  std::size_t teams = 0;
  for (Index t = 0; t < trace.threads.size(); ++t) {
    const std::vector<Edge> edges = lanes.edges_of(t);
    expect_nested(edges);
    for (const Edge& edge : edges) {
      if (edge.opens && edge.span.kind == SpanKind::grain) ++grains;
      if (edge.opens && edge.span.kind == SpanKind::wait) ++waits;
      if (edge.opens && edge.span.kind == SpanKind::team) ++teams;
    }
  }
  EXPECT_EQ(grains, trace.grains.size());
  EXPECT_EQ(waits, trace.threads.size());
  EXPECT_EQ(teams, trace.threads.size());
}

TEST(TraceExportLanes, WhatOverlapsIsCutAndWhatTakesNoTimeIsInside) {
  Trace trace = empty_trace();
  trace.threads.resize(1);
  for (const auto& [begin, end] : std::vector<std::pair<Time, Time>>{
           {0, 10}, {5, 12}, {10, 20}, {20, 20}, {20, 20}, {30, 40}, {30, 40}}) {
    Grain grain;
    grain.begin = begin;
    grain.end = end;
    trace.grains.push_back(grain);
  }
  trace.grains_of = {0, trace.grains.size()};
  const std::vector<Edge> edges = Lanes(trace, all_kinds).edges_of(0);
  EXPECT_EQ(edges.size(), trace.grains.size() * 2);
  expect_nested(edges);
}

TEST(TraceExportLanes, WhoIsInAnInnerRegionHasNotLeftTheOuterOne) {
  Trace trace = empty_trace();
  trace.threads.resize(2);
  trace.grains_of = {0, 0, 0};
  trace.regions = {{.begin = 0, .end = 100, .team = 2, .master = 0},
                   {.begin = 50, .end = 90, .team = 1, .master = 1, .outer = 0}};
  trace.waits = {{.begin = 10, .end = 20, .thread = 1, .region = 0}};
  const std::vector<Edge> edges = Lanes(trace, bit_of(SpanKind::team)).edges_of(1);
  ASSERT_EQ(edges.size(), 4U);
  EXPECT_EQ(edges[0].span.index, 0U);
  EXPECT_EQ(edges[0].at, 10U);
  EXPECT_EQ(edges[1].span.index, 1U);
  EXPECT_EQ(edges[3].at, 90U);
}

// ---- teams and tasks
// -----------------------------------------------------------------------------

TEST(TraceExportTasks, HaveNumbersOfTheirCreators) {
  const Trace trace = small_trace();
  const Otf2Tasks tasks(trace);
  ASSERT_EQ(tasks.teams().size(), 1U) << "the region's threads are those of the process";
  EXPECT_EQ(tasks.teams()[0].threads, (std::vector<Index>{0, 1}));
  EXPECT_EQ(tasks.created_on(0), (std::vector<Index>{0, 1}));
  EXPECT_EQ(tasks.created_on(1), (std::vector<Index>{4}));
  EXPECT_EQ(tasks.task_of(0).number, 1U);
  EXPECT_EQ(tasks.task_of(1).number, 2U);
  EXPECT_EQ(tasks.task_of(3).number, tasks.task_of(0).number) << "a later part";
  EXPECT_EQ(tasks.task_of(4).rank, 1U);
  EXPECT_FALSE(tasks.is_whole(0));
  EXPECT_FALSE(tasks.is_last_part(0));
  EXPECT_TRUE(tasks.is_last_part(3));
  EXPECT_TRUE(tasks.is_whole(1));
}

// ---- files
// ---------------------------------------------------------------------------------------

TEST_F(TraceExports, KindsHaveNames) {
  for (const ExportKind& kind : export_kinds()) {
    EXPECT_EQ(find_export(kind.name), &kind);
    EXPECT_EQ(&kind_of(kind.format), &kind);
  }
  EXPECT_EQ(find_export("pdf"), nullptr);
}

TEST_F(TraceExports, CsvHasARowForEachGrain) {
  const Trace trace = sample_trace();
  const std::string text = written(trace, ExportFormat::csv);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\r')),
            trace.grains.size() + 1);
  EXPECT_EQ(text.substr(0, 24), "grain,kind,process,threa");
}

TEST_F(TraceExports, CsvLeavesOutWhatIsNotKnownAndQuotes) {
  const std::string text = written(small_trace(), ExportFormat::csv);
  EXPECT_NE(
      text.find("1,task,7,0,,,,0,200,300,100,100,150,200,0,0,0,unknown,,unknown,,0,0,,,,,,0,0,0"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\"loop \"\"x\"\", <b>\n\xEF\xBF\xBD[31m\xEF\xBF\xBD\""), std::string::npos);
  EXPECT_NE(text.find(",0,8,0,0,0\r\n"), std::string::npos) << "the chunk";
}

TEST_F(TraceExports, PagesHaveARowForEachArea) {
  Trace trace = small_trace();
  EXPECT_EQ(written(trace, ExportFormat::pages).find("\r\n"),
            written(trace, ExportFormat::pages).size() - 2);
  trace.touches.are_known = true;
  trace.touches.list = {{0, 4096, 8192, 0, 7, 1}, {0, 65536, 4096, none, 7, no_domain}};
  const std::string text = written(trace, ExportFormat::pages);
  EXPECT_NE(text.find("\r\n7,4096,12288,8192,0,1,,,0,0,0,8192\r\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\r\n7,65536,69632,4096,,,,,0,0,0,4096\r\n"), std::string::npos) << text;
}

/// By the rules of https://www.speedscope.app/file-format-schema.json.
void expect_speedscope(const Json& file) {
  EXPECT_EQ(file.at("$schema"), "https://www.speedscope.app/file-format-schema.json");
  const std::size_t frames = file.at("shared").at("frames").size();
  for (const Json& frame : file.at("shared").at("frames")) {
    EXPECT_TRUE(frame.at("name").is_string());
    if (frame.contains("line")) {
      EXPECT_TRUE(frame.at("line").is_number());
    }
  }
  for (const Json& profile : file.at("profiles")) {
    EXPECT_EQ(profile.at("type"), "evented");
    EXPECT_EQ(profile.at("unit"), "nanoseconds");
    EXPECT_TRUE(profile.at("name").is_string());
    std::vector<std::size_t> open;
    Time last = profile.at("startValue");
    for (const Json& event : profile.at("events")) {
      const Time at = event.at("at");
      const std::size_t frame = event.at("frame");
      EXPECT_GE(at, last);
      EXPECT_LT(frame, frames);
      last = at;
      if (event.at("type") == "O") {
        open.push_back(frame);
      } else {
        ASSERT_EQ(event.at("type"), "C");
        ASSERT_FALSE(open.empty());
        EXPECT_EQ(open.back(), frame);
        open.pop_back();
      }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_LE(last, profile.at("endValue").get<Time>());
  }
}

TEST_F(TraceExports, SpeedscopeHasAProfileForEachThread) {
  const Trace trace = sample_trace();
  const Json file = Json::parse(written(trace, ExportFormat::speedscope));
  expect_speedscope(file);
  ASSERT_EQ(file.at("profiles").size(), trace.threads.size());
  for (std::size_t t = 0; t < trace.threads.size(); ++t) {
    EXPECT_EQ(file.at("profiles").at(t).at("events").size(),
              2 * (trace.grains_of[t + 1] - trace.grains_of[t]));
  }
  EXPECT_EQ(file.at("shared").at("frames").at(0).at("line"), 42);
}

TEST_F(TraceExports, SpeedscopeOfOddTraces) {
  const Json small = Json::parse(written(small_trace(), ExportFormat::speedscope));
  expect_speedscope(small);
  EXPECT_EQ(small.at("shared").at("frames").at(1).at("name"),
            "loop \"x\", <b>\n\xEF\xBF\xBD[31m\xEF\xBF\xBD");
  EXPECT_EQ(small.at("shared").at("frames").at(2).at("name"), "unknown construct");
  expect_speedscope(Json::parse(written(empty_trace(), ExportFormat::speedscope)));
}

/// The fields of a message, as far as this test needs them: numbers and pieces of bytes.
struct Fields {
  std::multimap<std::uint64_t, std::uint64_t> numbers;
  std::multimap<std::uint64_t, std::string> pieces;
  bool is_whole = false;
};

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

Fields fields_of(std::string_view bytes) {
  Fields fields;
  while (!bytes.empty()) {
    const std::uint64_t tag = take_varint(bytes);
    if ((tag & 7U) == 0) {
      fields.numbers.emplace(tag >> 3U, take_varint(bytes));
    } else {
      const std::size_t length = (tag & 7U) == 1 ? 8 : take_varint(bytes);
      if (length > bytes.size()) return fields;
      fields.pieces.emplace(tag >> 3U, bytes.substr(0, length));
      bytes.remove_prefix(length);
    }
  }
  fields.is_whole = true;
  return fields;
}

TEST_F(TraceExports, PerfettoHasASliceForEachGrain) {
  const Trace trace = sample_trace();
  const Fields file = fields_of(written(trace, ExportFormat::perfetto));
  EXPECT_TRUE(file.is_whole);
  std::map<std::uint64_t, std::size_t> events;
  std::size_t tracks = 0;
  std::size_t flows = 0;
  for (const auto& [field, packet] : file.pieces) {
    const Fields fields = fields_of(packet);
    EXPECT_TRUE(fields.is_whole);
    tracks += fields.pieces.count(60);
    if (fields.pieces.count(11) == 0) continue;
    EXPECT_EQ(fields.numbers.count(8), 1U) << "a time";
    const Fields event = fields_of(fields.pieces.find(11)->second);
    ++events[event.numbers.find(9)->second];
    flows += event.pieces.count(47);
  }
  const std::size_t slices = trace.grains.size() + trace.waits.size() + trace.threads.size();
  EXPECT_EQ(events[1], slices);
  EXPECT_EQ(events[2], slices);
  EXPECT_EQ(events[3], 1U);
  EXPECT_GT(events[4], 0U);
  EXPECT_EQ(tracks, 2 + trace.domains + trace.threads.size());
  const auto has_cause = [](const Grain& grain) {
    return std::size_t{grain.creator != none} + std::size_t{grain.released_by != none};
  };
  std::size_t causes = 0;
  for (const Grain& grain : trace.grains) causes += has_cause(grain);
  EXPECT_EQ(flows, causes);
}

TEST_F(TraceExports, EveryFormatTakesOddTraces) {
  for (const ExportKind& kind : export_kinds()) {
    if (!why_not(kind.format).empty()) continue;
    for (const Trace& trace : {empty_trace(), small_trace()}) {
      const auto result = write_export(trace, kind.format, path(kind.name), Existing::replace);
      ASSERT_TRUE(result.ok()) << kind.name << ": " << result.error().sentence;
      EXPECT_EQ(result.value().grains, trace.grains.size());
    }
  }
}

// ---- refusals
// ------------------------------------------------------------------------------------

std::string refusal(const Result<Exported>& result) {
  return result.ok() ? "" : result.error().sentence;
}

TEST_F(TraceExports, WhatIsThereIsKeptUnlessItMayBeReplaced) {
  for (const ExportKind& kind : export_kinds()) {
    if (!why_not(kind.format).empty()) continue;
    const std::string file = path(kind.name);
    ASSERT_TRUE(write_export(empty_trace(), kind.format, file).ok());
    EXPECT_EQ(refusal(write_export(empty_trace(), kind.format, file)),
              "cannot write \"" + file + "\": it exists; --force replaces it");
    EXPECT_TRUE(write_export(small_trace(), kind.format, file, Existing::replace).ok());
  }
}

TEST_F(TraceExports, AFolderOfOtherThingsIsNeverReplaced) {
  fs::create_directory(path("mine"));
  std::ofstream(path("mine/traces.otf2")) << "x";
  std::ofstream(path("mine/letter")) << "x";
  for (const ExportKind& kind : export_kinds()) {
    if (!why_not(kind.format).empty()) continue;
    EXPECT_EQ(refusal(write_export(empty_trace(), kind.format, path("mine"), Existing::replace)),
              "cannot write \"" + path("mine") +
                  "\": it is a folder, and no OTF2 archive that could be replaced");
  }
  EXPECT_TRUE(fs::exists(path("mine/letter")));
  EXPECT_TRUE(fs::exists(path("mine/traces.otf2")));
}

TEST_F(TraceExports, WhatCannotBeWrittenIsNamed) {
  for (const ExportKind& kind : export_kinds()) {
    if (!why_not(kind.format).empty()) continue;
    const std::string file = path("none/out");
    const std::string sentence = refusal(write_export(small_trace(), kind.format, file));
    EXPECT_EQ(sentence.find("cannot write \"" + file + "\": "), 0U) << sentence;
    EXPECT_FALSE(fs::exists(path("none")));
    EXPECT_NE(refusal(write_export(small_trace(), kind.format, "")), "");
    if (kind.is_stream) continue;
    EXPECT_NE(refusal(write_export(small_trace(), kind.format, "-")).find("is no stream"),
              std::string::npos);
  }
}

TEST_F(TraceExports, AFullDiskIsAnError) {
  for (const ExportKind& kind : export_kinds()) {
    if (!kind.is_stream) continue;
    EXPECT_EQ(refusal(write_export(sample_trace(), kind.format, "/dev/full")),
              "cannot write \"/dev/full\": No space left on device");
  }
}

}  // namespace
}  // namespace lares::trace

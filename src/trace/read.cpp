#include "trace/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <vector>

#include "analysis/moves_file.hpp"
#include "analysis/touches_file.hpp"
#include "trace/assemble.hpp"
#include "trace/homes.hpp"

namespace lares::trace {
namespace {

namespace fs = std::filesystem;

/// A sentence if the file is not there or cannot be read.
Result<About> read_about(const std::string& directory) {
  const std::string name = directory + "/" + analysis::run_about_file;
  std::ifstream file(name, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return Error{
        fmt::format("{} is missing or empty, so the command, the machine and the lines of "
                    "the source are not known",
                    analysis::run_about_file)};
  }
  auto about = analysis::parse_run_about(text.str());
  if (!about) return Error{fmt::format("{}: {}", analysis::run_about_file, about.error().sentence)};
  return about;
}

// "app+0x1234" where nobody has looked up the line.
std::string place_of(const Construct& construct) {
  const std::string name = construct.file.substr(construct.file.rfind('/') + 1);
  return fmt::format("{}+{:#x}", name.empty() ? "?" : name, construct.offset);
}

void name_constructs(Trace& trace) {
  std::map<std::pair<std::string, std::uint64_t>, const std::string*> places;
  for (const auto& each : trace.about.places) places[{each.file, each.offset}] = &each.place;
  for (Construct& construct : trace.constructs) {
    const auto at = places.find({construct.file, construct.offset});
    construct.place = at != places.end() ? *at->second : place_of(construct);
  }
}

void note_what_is_missing(Trace& trace, std::size_t unreadable) {
  if (!trace.about.finished) {
    trace.notes.push_back(
        "the run did not finish, or had not when this was read: what is here goes until its last "
        "event");
  }
  const auto cut = std::count_if(trace.threads.begin(), trace.threads.end(),
                                 [](const Thread& thread) { return thread.is_cut; });
  if (cut > 0) {
    trace.notes.push_back(
        fmt::format("the trace met its limit: of {} thread{} the rest is missing; "
                    "lares run --record-limit raises it",
                    cut, cut == 1 ? "" : "s"));
  }
  if (unreadable > 0) {
    trace.notes.push_back(fmt::format("{} file{} of threads could not be read and {} left out",
                                      unreadable, unreadable == 1 ? "" : "s",
                                      unreadable == 1 ? "is" : "are"));
  }
}

/// Adds what `parse` makes of a file of the folder, if it is there. Answers what is wrong with it,
/// or
/// "".
template <class Parse>
std::string add_file(const std::string& path, Parse parse, Assembler& assembler) {
  const std::vector<std::byte> bytes = analysis::read_record_bytes(path);
  if (bytes.empty()) return {};
  const auto parsed = parse(bytes);
  if (!parsed) return parsed.error().sentence;
  assembler.add(parsed.value());
  return {};
}

void note_on_moves(Trace& trace, const std::string& damage) {
  if (!damage.empty()) {
    trace.notes.push_back(fmt::format("which memory moved is not known: of the file {}, {}",
                                      memory::moves_file, damage));
  }
  if (trace.moves.over_limit > 0) {
    trace.notes.push_back(
        fmt::format("the trace met its limit: another {} marks and moves of memory are missing; "
                    "lares run --record-limit raises it",
                    trace.moves.over_limit));
  }
}

void note_on_pages(Trace& trace, const std::string& damage) {
  const auto add = [&trace](std::string note) { trace.notes.push_back(std::move(note)); };
  if (!damage.empty()) {
    add(fmt::format("who touched which pages first is not known: of the file {}, {}",
                    analysis::touches_file, damage));
  }
  if (!trace.about.pages_refused.empty()) {
    add("who touched which pages first is not known: " + trace.about.pages_refused);
  }
  const Touches& touches = trace.touches;
  if (touches.lost > 0) {
    add(fmt::format("{} touches of pages were lost, as they came faster than they were read",
                    touches.lost));
  }
  if (touches.over_limit > 0) {
    add(
        fmt::format("the trace met its limit: who touched another {} pages first is missing; "
                    "lares run --record-limit raises it",
                    touches.over_limit));
  }
}

}  // namespace

Result<Trace> read_trace(const std::string& directory) {
  std::error_code failed;
  if (!fs::is_directory(directory, failed)) {
    return Error{fmt::format("\"{}\" is no folder; lares run --trace {} -- ./app makes one",
                             directory, directory)};
  }
  const std::vector<std::string> files = analysis::record_files(directory);
  const auto about = read_about(directory);
  if (files.empty() && !about) {
    return Error{
        fmt::format("\"{}\" is no trace of Lares: it has neither {} nor a record; lares run "
                    "--trace DIR -- ./app makes one",
                    directory, analysis::run_about_file)};
  }
  Assembler assembler;
  std::size_t unreadable = 0;
  std::string why;
  for (const std::string& file : files) {
    if (const auto error = assembler.add(analysis::read_record_bytes(file))) {
      ++unreadable;
      why = error->sentence;
    }
  }
  if (!files.empty() && unreadable == files.size()) {
    return Error{fmt::format("\"{}\" cannot be read: {}", directory, why)};
  }
  const std::string damage =
      add_file(directory + "/" + analysis::touches_file, analysis::parse_touches, assembler);
  const std::string damaged_moves =
      add_file(directory + "/" + memory::moves_file, analysis::parse_moves, assembler);
  Trace trace = assembler.finish();
  if (about) {
    trace.about = about.value();
  } else {
    trace.notes.push_back(about.error().sentence);
  }
  trace.domains = std::max<std::uint32_t>(
      trace.domains, static_cast<std::uint32_t>(trace.about.cores_of_domain.size()));
  const std::string& binding = trace.about.binding;
  for (Thread& thread : trace.threads) thread.bound = !binding.empty() && binding != "none";
  name_constructs(trace);
  complete_homes(trace);
  note_what_is_missing(trace, unreadable);
  note_on_pages(trace, damage);
  note_on_moves(trace, damaged_moves);
  return trace;
}

}  // namespace lares::trace

#include "trace/exports/exports.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "trace/exports/formats.hpp"

namespace lares::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::array<ExportKind, 6> kinds = {{
    {ExportFormat::otf2, "otf2", ".otf2", false,
     "an archive, a folder, for Vampir and for the tools of OTF2"},
    {ExportFormat::perfetto, "perfetto", ".perfetto-trace", true,
     "for ui.perfetto.dev and its trace processor"},
    {ExportFormat::speedscope, "speedscope", ".speedscope.json", true, "for speedscope.app"},
    {ExportFormat::csv, "csv", ".csv", true, "a row for each grain"},
    {ExportFormat::pages, "pages", ".pages.csv", true,
     "CSV with a row for each area of memory that one thread touched first"},
    {ExportFormat::sqlite, "sqlite", ".sqlite", false, "a database to ask by SQL"},
}};

/// Everything that an archive of write_otf2 consists of.
constexpr std::array<const char*, 3> parts_of_archive = {"traces", "traces.def", "traces.otf2"};

Error cannot_write(const std::string& path, const std::string& why) {
  return {fmt::format("cannot write \"{}\": {}", path, why)};
}

bool is_archive(const fs::path& folder) {
  std::error_code failure;
  if (!fs::is_regular_file(folder / "traces.otf2", failure)) return false;
  for (fs::directory_iterator entry(folder, failure), end; entry != end && !failure;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    bool known = false;
    for (const char* part : parts_of_archive) known = known || name == part;
    if (!known) return false;
  }
  return !failure;
}

Failure remove_archive(const fs::path& folder) {
  std::error_code failure;
  fs::remove_all(folder, failure);
  return failure ? failure.message() : "";
}

/// Makes room for what replaces `path`, which exists.
Failure make_room(const std::string& path, ExportFormat format, Existing existing) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (fs::is_directory(status)) {
    const bool ours = format == ExportFormat::otf2 && is_archive(path);
    if (!ours) return "it is a folder, and no OTF2 archive that could be replaced";
    if (existing == Existing::refuse) return "it exists; --force replaces it";
    return remove_archive(path);
  }
  const bool is_device = fs::exists(status) && !fs::is_regular_file(status);
  if (is_device) return kind_of(format).is_stream ? "" : "it is neither a file nor a folder";
  if (existing == Existing::refuse) return "it exists; --force replaces it";
  // A stream's file is overwritten, so that its owner and its links stay as they are.
  if (kind_of(format).is_stream) return "";
  fs::remove(path, failure);
  return failure ? failure.message() : "";
}

Failure write_stream(const Trace& trace, ExportFormat format, const std::string& path) {
  Sink sink(path);
  if (format == ExportFormat::csv) put_csv(trace, sink);
  if (format == ExportFormat::pages) put_page_areas(trace, sink);
  if (format == ExportFormat::speedscope) put_speedscope(trace, sink);
  if (format == ExportFormat::perfetto) put_perfetto(trace, sink);
  const int failure = sink.close();
  return failure == 0 ? "" : std::strerror(failure);
}

Failure write_as(const Trace& trace, ExportFormat format, const std::string& path) {
  switch (format) {
    case ExportFormat::otf2:
      return write_otf2(trace, path);
    case ExportFormat::sqlite:
      return write_sqlite(trace, path);
    default:
      return write_stream(trace, format, path);
  }
}

/// Half of a file looks like one of a run that was short.
void remove_remains(ExportFormat format, const std::string& path) {
  std::error_code failure;
  if (format == ExportFormat::otf2 && fs::is_directory(path, failure)) {
    for (const char* part : parts_of_archive) fs::remove_all(fs::path(path) / part, failure);
    fs::remove(path, failure);
  } else if (fs::is_regular_file(path, failure)) {
    fs::remove(path, failure);
  }
}

}  // namespace

std::span<const ExportKind> export_kinds() noexcept { return kinds; }

const ExportKind* find_export(std::string_view name) noexcept {
  for (const ExportKind& kind : kinds) {
    if (name == kind.name) return &kind;
  }
  return nullptr;
}

const ExportKind& kind_of(ExportFormat format) noexcept {
  for (const ExportKind& kind : kinds) {
    if (format == kind.format) return kind;
  }
  return kinds.front();
}

std::string why_not(ExportFormat format) {
  if (format == ExportFormat::otf2) return otf2_missing();
  if (format == ExportFormat::sqlite) return sqlite_missing();
  return "";
}

Result<Exported> write_export(const Trace& trace, ExportFormat format, const std::string& path,
                              Existing existing) {
  if (Failure missing = why_not(format); !missing.empty()) return Error{std::move(missing)};
  const ExportKind& kind = kind_of(format);
  if (path == "-" && !kind.is_stream) {
    return Error{fmt::format("{} is no stream: name a file or folder that it shall be written to",
                             kind.name)};
  }
  if (path.empty()) return cannot_write(path, "it has no name");
  std::error_code unknown;
  if (path != "-" && fs::exists(fs::symlink_status(path, unknown))) {
    if (const Failure why = make_room(path, format, existing); !why.empty()) {
      return cannot_write(path, why);
    }
  }
  if (const Failure why = write_as(trace, format, path); !why.empty()) {
    if (path != "-") remove_remains(format, path);
    return cannot_write(path, why);
  }
  return Exported{trace.grains.size()};
}

}  // namespace lares::trace

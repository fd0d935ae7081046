// A traced run for other people's tools: the formats that `lares export` writes, by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "trace/trace.hpp"

namespace lares::trace {

enum class ExportFormat : std::uint8_t { otf2, perfetto, speedscope, csv, pages, sqlite };

/// What a user is told of a format.
struct ExportKind {
  ExportFormat format;
  const char* name;     ///< as after `--to`
  const char* suffix;   ///< of files of this format, with the dot
  bool is_stream;       ///< can be written to standard output
  const char* summary;  ///< who reads it
};

/// All formats, in the order of --help.
std::span<const ExportKind> export_kinds() noexcept;
/// Null if there is no such format.
const ExportKind* find_export(std::string_view name) noexcept;
const ExportKind& kind_of(ExportFormat format) noexcept;
/// "" if this build can write the format, else the sentence that says what it lacks.
std::string why_not(ExportFormat format);

/// What to do about a file or folder that is there already.
enum class Existing : std::uint8_t { refuse, replace };

/// What was written.
struct Exported {
  std::uint64_t grains = 0;
};

/// Writes `trace` to `path`: a file, of OTF2 a folder; "-" is standard output, for a format that is
/// a stream. With Existing::replace, a file is replaced, and of folders one that holds an OTF2
/// archive and nothing else. A device or a pipe is written to in any case.
/// An Error names the path and the reason; what was written of a file until then is removed.
/// `write_export` never makes the folders above `path`.
Result<Exported> write_export(const Trace& trace, ExportFormat format, const std::string& path,
                              Existing existing = Existing::refuse);

}  // namespace lares::trace

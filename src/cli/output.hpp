// How commands print: the --format option, colours, aligned tables, CSV fields.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace lares::cli {

enum class Format { text, json, csv };

/// Adds `--format` with the accepted formats (the first is the default). Another word ends the
/// parse with UserMistake. `format` must outlive the parse.
void add_format_option(CLI::App& command, Format& format, std::initializer_list<Format> accepted);

/// Writes the file that `option` names; UserMistake if it cannot be written.
void write_output(const char* option, const std::string& path, const std::string& text);

/// A file that an option lets a command write.
struct OutputFile {
  const char* option;
  std::string path;  ///< empty: not given
};
/// UserMistake if two options name the same file: what the one writes would be lost. Devices may be
/// named twice.
void check_distinct(const std::vector<OutputFile>& files);

/// True if `stream` is a terminal that shows colours and the user has not set NO_COLOR.
bool wants_colour(std::FILE* stream);

/// Puts escape sequences around text, or leaves it alone.
class Palette {
 public:
  explicit Palette(bool enabled) : enabled_(enabled) {}
  [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return paint("31", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return paint("32", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return paint("33", text); }
  [[nodiscard]] std::string cyan(std::string_view text) const { return paint("36", text); }

 private:
  [[nodiscard]] std::string paint(const char* code, std::string_view text) const;
  bool enabled_;
};

/// Rows of cells with aligned columns. Widths count characters of UTF-8 text without escapes.
class Table {
 public:
  enum class Align { left, right };

  /// One column per alignment.
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  /// Precondition: as many cells as columns.
  void add(std::vector<std::string> cells);
  /// Every line starts with `indent` and ends without trailing blanks.
  [[nodiscard]] std::string text(std::string_view indent = "") const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A square matrix over the domains, row by row, as a table; 0 is shown as "-". The diagonal is
/// green. Precondition: size * size values.
std::string domain_matrix(const std::vector<std::uint32_t>& values, std::size_t size,
                          const Palette& palette);

/// The number of characters that `text` takes on a terminal: UTF-8 decoded, escapes left out.
std::size_t display_width(std::string_view text);

/// A field of a CSV file, quoted where it must be (RFC 4180).
std::string csv_field(std::string_view text);

/// "64.0 GiB"
std::string human_bytes(Bytes bytes);

/// "0-3,8": sorted numbers as the kernel lists them.
template <class IdType>
std::string id_list(const std::vector<IdType>& ids) {
  std::string text;
  for (std::size_t first = 0; first < ids.size();) {
    std::size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1].value() == ids[last].value() + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(ids[first].value());
    if (last > first) text += (last > first + 1 ? "-" : ",") + std::to_string(ids[last].value());
    first = last + 1;
  }
  return text;
}

}  // namespace lares::cli

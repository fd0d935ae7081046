#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/file_stream.hpp"
#include "cli/commands.hpp"

namespace lares::cli {
namespace {

const char* format_name(Format format) {
  switch (format) {
    case Format::json:
      return "json";
    case Format::csv:
      return "csv";
    default:
      return "text";
  }
}

std::string join_formats(const std::vector<Format>& formats, std::string_view separator) {
  std::string text;
  for (const Format format : formats) {
    if (!text.empty()) text += separator;
    text += format_name(format);
  }
  return text;
}

}  // namespace

void add_format_option(CLI::App& command, Format& format, std::initializer_list<Format> accepted) {
  const std::vector<Format> formats(accepted);
  format = formats.front();
  command
      .add_option_function<std::string>(
          "--format",
          [&format, formats](const std::string& word) {
            const auto found = std::find_if(formats.begin(), formats.end(),
                                            [&](Format f) { return word == format_name(f); });
            if (found == formats.end()) {
              throw UserMistake{{fmt::format("--format: unknown format \"{}\", accepted are {}",
                                             word, join_formats(formats, ", "))}};
            }
            format = *found;
          },
          "How to print the data: " + join_formats(formats, ", "))
      ->type_name("FORMAT");
}

void write_output(const char* option, const std::string& path, const std::string& text) {
  if (write_text(path, text)) return;
  throw UserMistake{
      {fmt::format("{}: cannot write \"{}\": {}", option, path, std::strerror(errno))}};
}

void check_distinct(const std::vector<OutputFile>& files) {
  namespace fs = std::filesystem;
  const auto same = [](const OutputFile& a, const OutputFile& b) {
    std::error_code failure;
    if (fs::exists(a.path, failure) && fs::exists(b.path, failure)) {
      return fs::is_regular_file(a.path, failure) && fs::equivalent(a.path, b.path, failure);
    }
    const auto whole = [&](const std::string& path) {
      return fs::weakly_canonical(fs::absolute(path, failure), failure);
    };
    return whole(a.path) == whole(b.path);
  };
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const OutputFile& first = files[j];
      const OutputFile& second = files[i];
      if (first.path.empty() || second.path.empty() || first.option == second.option) continue;
      if (!same(first, second)) continue;
      throw UserMistake{
          {fmt::format("{} and {} would both write \"{}\"; give each a file of its own",
                       first.option, second.option, second.path)}};
    }
  }
}

bool wants_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(fileno(stream)) == 1;
}

std::string Palette::paint(const char* code, std::string_view text) const {
  if (!enabled_) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++width;  // every byte of UTF-8 but the continuation bytes starts a character
    }
  }
  return width;
}

void Table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(row[c]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string blanks(widths[c] - display_width(row[c]), ' ');
      if (c > 0) line += "  ";
      line += columns_[c] == Align::left ? row[c] + blanks : blanks + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string human_bytes(Bytes bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes.count);
  std::size_t unit = 0;
  while (amount >= 1024.0 && unit + 1 < std::size(units)) {
    amount /= 1024.0;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes.count)
                   : fmt::format("{:.1f} {}", amount, units[unit]);
}

std::string domain_matrix(const std::vector<std::uint32_t>& values, std::size_t size,
                          const Palette& palette) {
  Table table(std::vector<Table::Align>(size + 1, Table::Align::right));
  std::vector<std::string> header{"from \\ to"};
  for (std::size_t d = 0; d < size; ++d) header.push_back(std::to_string(d));
  table.add(std::move(header));
  for (std::size_t from = 0; from < size; ++from) {
    std::vector<std::string> row{std::to_string(from)};
    for (std::size_t to = 0; to < size; ++to) {
      const std::uint32_t number = values[from * size + to];
      const std::string value = number == 0 ? "-" : std::to_string(number);
      row.push_back(from == to ? palette.green(value) : value);
    }
    table.add(std::move(row));
  }
  return table.text("  ");
}

}  // namespace lares::cli

// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "lab/plugin/result.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace lares::lab::counting {
namespace {

bool is_tail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The length of the UTF-8 character that starts `text`, 0 if there is none (overlong forms and
/// surrogates are let through: readers replace them).
std::size_t character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_tail(text[i])) return 0;
  }
  return length;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = character(text);
    const char first = text.front();
    if (length == 0 || static_cast<unsigned char>(first) < 0x20 || first == 0x7f) {
      result += '?';
    } else {
      if (first == '"' || first == '\\') result += '\\';
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

template <class Numbers>
std::string list(const Numbers& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return "[" + text + "]";
}

std::string matrix(const Traffic& traffic, Kind kind) {
  std::string text;
  for (Node row = 0; row < traffic.nodes(); ++row) {
    std::vector<std::uint64_t> cells;
    for (Node column = 0; column < traffic.nodes(); ++column) {
      cells.push_back(traffic.at(kind, row, column));
    }
    text += (text.empty() ? "" : ",\n") + ("        " + list(cells));
  }
  return "[\n" + text + "]";
}

std::string region_json(const Region& region) {
  std::string text = "    {\"name\": " + quoted(region.name) +
                     ", \"entered\": " + std::to_string(region.entered) +
                     ", \"left_open\": " + (region.left_open ? "true" : "false");
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    text += ",\n      \"" + std::string(kind_names[kind]) +
            "\": " + matrix(region.counted, static_cast<Kind>(kind));
  }
  return text + "}";
}

std::string regions_json(const Regions* regions) {
  std::string text;
  if (regions != nullptr) {
    for (const Region& region : regions->all()) {
      text += (text.empty() ? "" : ",\n") + region_json(region);
    }
  }
  return "[\n" + text + "]";
}

std::string caches_json(const Options& options) {
  return "{\"line_bytes\": " + std::to_string(line_bytes) +
         ", \"l2_bytes\": " + std::to_string(options.l2_bytes) +
         ", \"l3_bytes\": " + std::to_string(options.l3_bytes) +
         ", \"l3_per\": " + (options.l3_per_package ? "\"package\"" : "\"node\"") + "}";
}

}  // namespace

std::string to_json(const Result& result) {
  const Regions* regions = result.regions;
  return "{\n  \"format\": \"lares-lab-counts\",\n  \"version\": 1,\n  \"complete\": " +
         std::string(result.complete ? "true" : "false") +
         ",\n  \"error\": " + (result.error.empty() ? "null" : quoted(result.error)) +
         ",\n  \"cpus\": " + list(result.options->cpus) +
         ",\n  \"caches\": " + caches_json(*result.options) +
         ",\n  \"elsewhere\": " + std::to_string(result.elsewhere) + ",\n  \"unmatched_ends\": " +
         std::to_string(regions != nullptr ? regions->unmatched_ends() : 0) +
         ",\n  \"regions_left_out\": " +
         std::to_string(regions != nullptr ? regions->left_out() : 0) +
         ",\n  \"regions\": " + regions_json(regions) + "\n}\n";
}

std::string write_file(const std::string& path, const std::string& text) {
  const auto failed = [&path] {
    return "cannot write the counts to " + path + ": " + std::strerror(errno);
  };
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return failed();
  std::string sentence;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      sentence = failed();
      break;
    }
    done += static_cast<std::size_t>(written);
  }
  close(file);
  return sentence;
}

std::string read_file(const std::string& path, std::string& sentence) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t got = -1;
  if (file >= 0) {
    std::array<char, 4096> buffer{};
    // From the start, whatever the descriptor behind a path like /proc/self/fd/7 was used for.
    std::size_t at = 0;
    while ((got = pread(file, buffer.data(), buffer.size(), static_cast<off_t>(at))) > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
      at += static_cast<std::size_t>(got);
    }
  }
  if (got < 0) sentence = "cannot read " + path + ": " + std::strerror(errno);
  if (file >= 0) close(file);
  return text;
}

}  // namespace lares::lab::counting

#include "machine/discover.hpp"

#include <sched.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/file_stream.hpp"
#include "machine/build.hpp"
#include "machine/hwloc_survey.hpp"
#include "machine/machine_file.hpp"

namespace lares::machine {
namespace {

constexpr std::string_view synthetic_prefix = "synthetic:";
constexpr std::size_t max_file_bytes = 64U << 20U;

Error unreadable(const std::string& path, const std::string& why) {
  return {"cannot read machine file \"" + path + "\": " + why};
}

Result<std::string> read_file(const std::string& path) {
  std::string text;
  if (read_text(path, max_file_bytes, text)) return text;
  return unreadable(path, errno == EFBIG ? "it is larger than 64 MiB" : std::strerror(errno));
}

Result<Machine> build_from(const Result<Survey>& survey, std::optional<Level> level) {
  if (!survey) return survey.error();
  return build(survey.value(), level);
}

Result<Machine> from_machine_file(const std::string& text, const std::string& file,
                                  std::optional<Level> level) {
  auto machine = parse_machine_file(text, file);
  if (machine && level && machine.value().domain_level != *level) {
    return Error{"machine file \"" + file + "\" has no level " + std::string(level_name(*level)) +
                 ", it has " + std::string(level_name(machine.value().domain_level))};
  }
  return machine;
}

/// It tells which kind a file is; 0 if there is none.
char first_character(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? '\0' : text[first];
}

Result<Machine> from_file(const std::string& file, std::optional<Level> level) {
  const auto text = read_file(file);
  if (!text) return text.error();
  const char start = first_character(text.value());
  if (start == '<') return build_from(survey_xml(text.value(), file), level);
  if (start == '{') return from_machine_file(text.value(), file, level);
  return Error{"machine file \"" + file +
               "\" is neither a Lares machine file (JSON) nor an hwloc XML file"};
}

}  // namespace

Source parse_source(std::string_view text) {
  if (text.empty()) return {};
  if (text.substr(0, synthetic_prefix.size()) != synthetic_prefix) {
    return {Source::Kind::file, std::string(text)};
  }
  return {Source::Kind::synthetic, std::string(text.substr(synthetic_prefix.size()))};
}

std::optional<Error> why_no_process() {
  // Of any size: too small a mask is answered EINVAL, which is no refusal.
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0 || errno == EINVAL) return std::nullopt;
  return Error{std::string("cannot look at this machine, because the system refuses "
                           "sched_getaffinity (") +
               std::strerror(errno) + "); allow it, or describe the machine with --machine FILE"};
}

Result<Machine> discover(const Source& source, std::optional<Level> level) {
  switch (source.kind) {
    case Source::Kind::synthetic:
      return build_from(survey_synthetic(source.text), level);
    case Source::Kind::file:
      return from_file(source.text, level);
    default:
      if (auto refusal = why_no_process()) return *refusal;
      return build_from(survey_process(), level);
  }
}

Result<Measurements> measurements_of(const Source& source) {
  if (source.kind != Source::Kind::file) return Measurements{};
  const auto text = read_file(source.text);
  if (!text) return text.error();
  if (first_character(text.value()) != '{') return Measurements{};
  return parse_measurements(text.value(), source.text);
}

}  // namespace lares::machine

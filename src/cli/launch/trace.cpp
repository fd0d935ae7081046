#include "cli/launch/trace.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "analysis/record_file.hpp"
#include "cli/commands.hpp"
#include "cli/launch/source_places.hpp"
#include "runtime/record_format.hpp"

namespace lares::cli {
namespace {

namespace fs = std::filesystem;

/// Every construct of the folder's records once: file, and offset in its image.
std::set<std::pair<std::string, std::uint64_t>> constructs_in(const std::string& folder) {
  std::set<std::pair<std::string, std::uint64_t>> found;
  for (const std::string& file : analysis::record_files(folder)) {
    const auto stream =
        analysis::read_record(analysis::read_record_bytes(file), [](const auto&, auto) {});
    if (!stream) continue;
    for (const analysis::RecordedConstruct& each : stream.value().constructs) {
      found.emplace(each.file, each.offset);
    }
  }
  return found;
}

}  // namespace

TraceFolder::TraceFolder(const std::string& name) {
  if (name.empty()) return;
  std::error_code failed;
  fs::create_directory(name, failed);
  if (failed) {
    throw UserMistake{
        {fmt::format("--trace: cannot make the folder \"{}\": {}", name, failed.message())}};
  }
  if (!fs::is_empty(name, failed) || failed) {
    throw UserMistake{
        {fmt::format("--trace: \"{}\" is there and not empty; name another folder, "
                     "or remove it",
                     name)}};
  }
  if (access(name.c_str(), W_OK | X_OK) != 0) {
    throw UserMistake{
        {fmt::format("--trace: cannot write into \"{}\": {}", name, std::strerror(errno))}};
  }
  path_ = fs::absolute(name).lexically_normal().string();
}

std::vector<std::string> TraceFolder::write(const analysis::RunAbout& about) const {
  const std::string name = path_ + "/" + analysis::run_about_file;
  // Whole or not at all: a reader may come while the program runs.
  const std::string draft = name + ".new";
  std::ofstream file(draft);
  file << analysis::to_json(about);
  file.close();
  if (file && std::rename(draft.c_str(), name.c_str()) == 0) return {};
  unlink(draft.c_str());
  return {fmt::format("cannot write \"{}\": {}", name, std::strerror(errno))};
}

std::vector<std::string> TraceFolder::begin(const Session& session,
                                            const analysis::RunAbout& about) const {
  if (!is_wanted()) return {};
  std::vector<std::string> notes = write(about);
  const std::string link = session.path() + "/" + runtime::trace_folder_name;
  if (symlink(path_.c_str(), link.c_str()) != 0) {
    notes.push_back("--trace: cannot write into the session's folder, so nothing is traced");
  }
  return notes;
}

std::vector<std::string> TraceFolder::finish(analysis::RunAbout about) const {
  if (!is_wanted()) return {};
  for (const auto& [file, offset] : constructs_in(path_)) {
    about.places.push_back({file, offset, source_place(file, offset)});
  }
  about.finished = true;
  return write(about);
}

}  // namespace lares::cli

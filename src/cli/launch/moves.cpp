#include "cli/launch/moves.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "analysis/session_file.hpp"
#include "base/file_size_limit.hpp"
#include "memory/moves/move_event.hpp"

namespace lares::cli {
namespace {

using memory::MoveEvent;
using memory::MovesHead;

constexpr std::uint64_t most_bytes = sizeof(MovesHead) + MovesHead::most_room * sizeof(MoveEvent);

std::string path_in(const std::string& trace) { return trace + "/" + memory::moves_file; }

// Room that is promised: the program's processes map the file, and must not meet a full disk.
int allocate(int file, const MovesHead& head) {
  const auto bytes = static_cast<off_t>(sizeof(head) + head.room * sizeof(MoveEvent));
  if (const int error = posix_fallocate(file, 0, bytes); error != 0) return error;
  return pwrite(file, &head, sizeof(head), 0) == sizeof(head) ? 0 : errno;
}

}  // namespace

Result<Bytes> make_moves_file(const std::string& trace, Bytes limit) {
  constexpr std::uint64_t part = 16;
  const std::uint64_t bytes = std::min({limit.count / part, most_bytes, file_size_limit()});
  MovesHead head;
  if (bytes < sizeof(head) + sizeof(MoveEvent)) return Bytes{0};
  head.room = (bytes - sizeof(head)) / sizeof(MoveEvent);
  const std::string path = path_in(trace);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const int error = file < 0 ? errno : allocate(file, head);
  if (file >= 0) close(file);
  if (error == 0) return Bytes{bytes};
  if (file >= 0) unlink(path.c_str());
  return Error{
      fmt::format("cannot write \"{}\": {}, so this trace does not tell which memory moved", path,
                  std::strerror(error))};
}

void finish_moves_file(const std::string& trace) {
  const std::string path = path_in(trace);
  const std::vector<std::byte> bytes = analysis::read_session_file(path, most_bytes);
  MovesHead head;
  if (bytes.size() < sizeof(head)) return;
  std::memcpy(&head, bytes.data(), sizeof(head));
  if (head.noted == 0) {
    unlink(path.c_str());
    return;
  }
  const std::size_t used = sizeof(head) + std::min(head.noted, head.room) * sizeof(MoveEvent);
  const std::string draft = path + ".new";
  std::ofstream file(draft, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(std::min(used, bytes.size())));
  file.close();
  // If it cannot be written, it stays as it was: longer, and as readable.
  if (!file || std::rename(draft.c_str(), path.c_str()) != 0) unlink(draft.c_str());
}

}  // namespace lares::cli

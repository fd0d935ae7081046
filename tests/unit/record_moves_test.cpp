// The log of moves: what several threads and processes note at once, and files that are none.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "analysis/moves_file.hpp"
#include "analysis/record_file.hpp"
#include "memory/moves/move_log.hpp"

namespace lares::memory {
namespace {

/// A file with room for so many events, which is this process's log; in the end nobody's.
class MoveLogFile {
 public:
  explicit MoveLogFile(std::uint64_t room) : MoveLogFile(room, room) {}
  MoveLogFile(std::uint64_t room, std::uint64_t told_room) {
    path_ = "/tmp/lares-moves-XXXXXX";
    close(mkstemp(path_.data()));
    MovesHead head;
    head.room = told_room;
    std::vector<char> bytes(sizeof(head) + room * sizeof(MoveEvent));
    std::memcpy(bytes.data(), &head, sizeof(head));
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    open_move_log(path_.c_str());
  }
  MoveLogFile(const MoveLogFile&) = delete;
  MoveLogFile& operator=(const MoveLogFile&) = delete;
  ~MoveLogFile() {
    open_move_log("/dev/null");  // no log
    unlink(path_.c_str());
  }
  [[nodiscard]] analysis::RecordedMoves read() const {
    return analysis::parse_moves(analysis::read_record_bytes(path_)).value();
  }

 private:
  std::string path_;
};

MoveEvent fetch(std::uint64_t address) {
  MoveEvent event;
  event.kind = MoveKind::fetch;
  event.begin_ns = 17;
  event.took_ns = 5;
  event.address = address;
  event.bytes = 8192;
  event.arrived = 4096;
  event.to = 3;
  return event;
}

TEST(MoveLog, HasWhatWasNotedAndWho) {
  const MoveLogFile file(4);
  note_move(fetch(4096));
  MoveEvent of_another = fetch(65536);
  of_another.thread = 99;
  note_move(of_another);
  const auto moves = file.read();
  ASSERT_EQ(moves.events.size(), 2U);
  MoveEvent expected = fetch(4096);
  expected.process = static_cast<std::uint32_t>(getpid());
  expected.thread = static_cast<std::uint32_t>(gettid());
  EXPECT_EQ(moves.events[0], expected);
  EXPECT_EQ(moves.events[1].thread, 99U);
  EXPECT_EQ(moves.over_limit, 0U);
}

TEST(MoveLog, CountsWhatItHasNoRoomFor) {
  const MoveLogFile file(3);
  for (std::uint64_t i = 1; i <= 10; ++i) note_move(fetch(4096 * i));
  const auto moves = file.read();
  EXPECT_EQ(moves.events.size(), 3U);
  EXPECT_EQ(moves.over_limit, 7U);
}

TEST(MoveLog, IsSharedByThreadsAndProcesses) {
  constexpr std::uint64_t each = 2000;
  const MoveLogFile file(4 * each);
  const auto note_all = [](std::uint64_t first) {
    for (std::uint64_t i = 0; i < each; ++i) note_move(fetch(4096 * (first + i + 1)));
  };
  const pid_t child = fork();
  if (child == 0) {
    std::thread other(note_all, 0);
    note_all(each);
    other.join();
    _exit(0);
  }
  ASSERT_GT(child, 0);
  std::thread other(note_all, 2 * each);
  note_all(3 * each);
  other.join();
  int status = 1;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  std::set<std::uint64_t> addresses;
  std::set<std::uint32_t> processes;
  for (const MoveEvent& event : file.read().events) {
    addresses.insert(event.address);
    processes.insert(event.process);
    EXPECT_EQ(event.arrived, 4096U);
  }
  EXPECT_EQ(addresses.size(), 4 * each);
  EXPECT_EQ(processes.size(), 2U);
}

TEST(MoveLog, IsNoFileThatIsTooShortOrAnothers) {
  const MoveLogFile file(3, 4);  // says that it has more room than it has
  note_move(fetch(4096));
  EXPECT_TRUE(file.read().events.empty());
  for (const char* path : {"/no/such/file", "/dev/zero", "/proc/self/maps", "/tmp"}) {
    open_move_log(path);
    note_move(fetch(4096));
  }
}

}  // namespace
}  // namespace lares::memory

// Whether processes stand still because they hang, or because the machine lets them wait.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace torture {

/// What the kernel tells of a thread.
struct ThreadTimes {
  char state = '?';          ///< R, S, D, ... as `ps` prints it
  std::uint64_t ran = 0;     ///< nanoseconds with a processor
  std::uint64_t waited = 0;  ///< nanoseconds in which it could have run and had none, up to the
                             ///< last time that it got one
  std::uint64_t turns = 0;   ///< times that it got one
  [[nodiscard]] bool operator==(const ThreadTimes&) const = default;
};

/// Calls `use(folder, number)` for each folder of /proc below `folder` that is a number.
template <class Use>
void for_each_number(const std::string& folder, Use&& use) {
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return;
  while (const dirent* const entry = readdir(entries)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) {
      use(folder + "/" + entry->d_name, static_cast<pid_t>(std::atoi(entry->d_name)));
    }
  }
  closedir(entries);
}

/// The first line of a file, or nothing.
inline std::string first_line(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return {};
  std::array<char, 1024> text{};
  const bool read = std::fgets(text.data(), text.size(), file) != nullptr;
  std::fclose(file);
  return read ? text.data() : "";
}

/// The fields of a `stat` of /proc that come after the name, which may hold anything.
inline std::string after_name(const std::string& folder) {
  const std::string line = first_line(folder + "/stat");
  const std::size_t end = line.rfind(')');
  return end == std::string::npos || end + 2 > line.size() ? "" : line.substr(end + 2);
}

/// All threads of all processes of a group.
inline std::map<pid_t, ThreadTimes> threads_of_group(pid_t group) {
  std::map<pid_t, ThreadTimes> threads;
  for_each_number("/proc", [&](const std::string& process, pid_t) {
    char state = 0;
    int parent = 0;
    int own_group = 0;
    const std::string fields = after_name(process);
    const int got = std::sscanf(fields.c_str(), "%c %d %d", &state, &parent, &own_group);
    if (got != 3 || own_group != group) return;
    for_each_number(process + "/task", [&](const std::string& thread, pid_t number) {
      ThreadTimes& times = threads[number];
      const std::string own = after_name(thread);
      if (!own.empty()) times.state = own[0];
      unsigned long long ran = 0, waited = 0, turns = 0;
      std::sscanf(first_line(thread + "/schedstat").c_str(), "%llu %llu %llu", &ran, &waited,
                  &turns);
      times.ran = ran;
      times.waited = waited;
      times.turns = turns;
    });
  });
  return threads;
}

/// How long nothing has got on. Seconds in which a thread of the group could run and was given no
/// processor are told apart: then the machine is slow, and nobody knows whether the group hangs.
/// Thread safety: none.
class Standstill {
 public:
  using Clock = std::chrono::steady_clock;

  /// `steps` counts what the group gets done.
  void look(pid_t group, std::uint64_t steps) {
    const Clock::time_point now = Clock::now();
    if (steps != steps_) {
      steps_ = steps;
      last_ = now;
      threads_.clear();
      seconds_ = starved_ = 0;
      return;
    }
    const double passed = std::chrono::duration<double>(now - last_).count();
    if (passed < 1) return;
    const std::map<pid_t, ThreadTimes> threads = threads_of_group(group);
    const double starved = threads_.empty() ? 0 : std::min(passed, longest_wait(threads, passed));
    seconds_ += passed - starved;
    starved_ += starved;
    threads_ = threads;
    last_ = now;
  }
  /// In which all threads ran, or slept of their own accord.
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] double starved() const { return starved_; }

 private:
  /// Of any thread, in the `passed` seconds since the last look.
  [[nodiscard]] double longest_wait(const std::map<pid_t, ThreadTimes>& threads,
                                    double passed) const {
    double longest = 0;
    for (const auto& [number, times] : threads) {
      const auto before = threads_.find(number);
      if (before == threads_.end()) continue;
      const std::uint64_t waited = times.waited - before->second.waited;
      longest = std::max(longest, static_cast<double>(waited) * 1e-9);
      // The kernel adds the wait when it ends.
      if (times.state == 'R' && times == before->second) longest = passed;
    }
    return longest;
  }

  std::uint64_t steps_ = UINT64_MAX;
  Clock::time_point last_;
  std::map<pid_t, ThreadTimes> threads_;  ///< at the last look; empty: none since the last step
  double seconds_ = 0;
  double starved_ = 0;
};

}  // namespace torture

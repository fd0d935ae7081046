// Memory calls that a test can make fail, one by one; the rest is the real kernel's.
#pragma once

#include <linux/mempolicy.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <set>

#include "memory/calls.hpp"
#include "memory/maps.hpp"

namespace lares::memory {

inline constexpr unsigned long uffdio_move = 0xc028aa05;  // UFFDIO_MOVE, younger than the headers

/// The kernel's calls as before Linux 5.14: no UFFDIO_MOVE, no MADV_POPULATE_WRITE.
inline SystemCalls old_calls() {
  SystemCalls calls = real_calls();
  calls.control = [](int file, unsigned long request, void* argument) noexcept {
    constexpr unsigned long feature_move = 1UL << 16U;
    if (request == UFFDIO_API && (static_cast<uffdio_api*>(argument)->features & feature_move)) {
      return long{-EINVAL};
    }
    return request == uffdio_move ? long{-ENOTTY} : real_calls().control(file, request, argument);
  };
  calls.advise = [](void* at, std::size_t bytes, int advice) noexcept {
    constexpr int populate_write = 23;
    return advice == populate_write ? long{-EINVAL} : real_calls().advise(at, bytes, advice);
  };
  return calls;
}

/// The list of mappings as before Linux 6.11: nothing but text.
inline MapsSource old_maps() {
  MapsSource maps = real_maps();
  maps.query = nullptr;
  return maps;
}

/// One state for all tests of a process, as the calls are plain functions; a fresh one per test.
class FakeCalls {
 public:
  FakeCalls() {
    state().~State();
    new (&state()) State;
  }

  /// Every call of a kind fails with this errno; 0: none.
  struct Errors {
    int map = 0, remap = 0, protect = 0, bind = 0, prefer = 0, move = 0, userfault = 0;
    int advise = 0;
    int preference = 0;
    int policy_at = 0;
    int move_to = 0;  ///< move() with nodes only
  };
  Errors& errors() { return state().errors; }
  /// After `pass` control() calls that work, all fail with this errno; 0: none.
  void fail_controls(int error, int pass = 0) {
    state().controls_left = pass;
    state().control_error = error;
  }

  /// As before Linux 6.8.
  void refuse_moves() { state().refuses_moves = true; }

  // A pretended machine of pages for move(): where each is, and what it answers to a move.
  void put(std::uintptr_t page_address, int node) { state().pages[page_address] = node; }
  [[nodiscard]] int node_of(std::uintptr_t page_address) { return state().pages[page_address]; }
  /// By a policy of its own.
  void place(std::uintptr_t page_address) { state().placed.insert(page_address); }
  /// The page says -errno to the next `times` moves.
  void stick(std::uintptr_t page_address, int error, int times = INT_MAX) {
    state().stuck[page_address] = {error, times};
  }
  /// A call that meets a stuck page writes no status from there on, as Linux does.
  void give_up_at_stuck() { state().gives_up = true; }
  [[nodiscard]] int moves() { return state().moves; }
  [[nodiscard]] int advised(int advice) {
    return state().advised[static_cast<std::size_t>(advice)];
  }
  [[nodiscard]] int binds() { return state().binds; }
  /// After `pass` calls that set a policy of pieces, these fail with this errno.
  void fail_pieces(int error, int pass) {
    state().piece_error = error;
    state().pieces_left = pass;
  }
  /// The mode that the last bind() asked for, and its bytes.
  [[nodiscard]] int last_mode() { return state().last_mode; }
  [[nodiscard]] std::size_t last_bound() { return state().last_bound; }
  [[nodiscard]] int prefers() { return state().prefers; }

  /// With pretended pages; the rest is real.
  [[nodiscard]] static SystemCalls calls() {
    SystemCalls calls = real_calls();
    calls.map = [](std::size_t bytes) noexcept {
      return or_error(errors_now().map, [&] { return real_calls().map(bytes); });
    };
    calls.map_at = [](std::uintptr_t wish, std::size_t bytes) noexcept {
      return or_error(errors_now().map, [&] { return real_calls().map_at(wish, bytes); });
    };
    calls.remap = [](void* from, std::size_t a, std::size_t b, int flags, void* to) noexcept {
      return or_error(errors_now().remap,
                      [&] { return real_calls().remap(from, a, b, flags, to); });
    };
    calls.protect = [](void* at, std::size_t bytes, int protection) noexcept {
      return or_error(errors_now().protect,
                      [&] { return real_calls().protect(at, bytes, protection); });
    };
    calls.advise = [](void* at, std::size_t bytes, int advice) noexcept {
      ++state().advised[static_cast<std::size_t>(advice)];
      return or_error(errors_now().advise, [&] { return real_calls().advise(at, bytes, advice); });
    };
    calls.bind = [](void*, std::size_t bytes, int mode, const unsigned long*) noexcept {
      ++state().binds;
      state().last_mode = mode;
      state().last_bound = bytes;
      const bool fails = mode == MPOL_PREFERRED && state().piece_error != 0;
      if (fails && state().pieces_left-- <= 0) return -static_cast<long>(state().piece_error);
      return or_error(errors_now().bind, [] { return 0L; });
    };
    calls.prefer = [](int, const unsigned long*) noexcept {
      ++state().prefers;
      return or_error(errors_now().prefer, [] { return 0L; });
    };
    calls.preference = [](int* mode, unsigned long* mask) noexcept {
      return or_error(errors_now().preference, [&] { return real_calls().preference(mode, mask); });
    };
    calls.policy_at = [](void* at, int* mode) noexcept {
      if (errors_now().policy_at != 0) return -static_cast<long>(errors_now().policy_at);
      const auto page = reinterpret_cast<std::uintptr_t>(at);
      *mode = state().placed.contains(page) ? MPOL_BIND : MPOL_DEFAULT;
      return 0L;
    };
    calls.move = &move;
    calls.userfault = [](int flags) noexcept {
      return or_error(errors_now().userfault, [&] { return real_calls().userfault(flags); });
    };
    calls.control = [](int file, unsigned long request, void* argument) noexcept {
      const int error = state().control_error;
      const bool fails = error != 0 && state().controls_left-- <= 0;
      const bool old = state().refuses_moves;
      return or_error(fails ? error : 0, [&] {
        return (old ? old_calls() : real_calls()).control(file, request, argument);
      });
    };
    return calls;
  }

 private:
  struct Stuck {
    int error = 0;
    int times = 0;
  };
  struct State {
    Errors errors;
    std::atomic<int> control_error = 0;  // the monitor's thread calls it, too
    std::atomic<int> controls_left = 0;
    bool refuses_moves = false;
    std::set<std::uintptr_t> placed;
    std::map<std::uintptr_t, int> pages;
    std::map<std::uintptr_t, Stuck> stuck;
    std::array<std::atomic<int>, 128> advised{};  // by advice; any thread
    bool gives_up = false;
    int piece_error = 0, pieces_left = 0;
    int last_mode = 0;
    std::size_t last_bound = 0;
    int moves = 0, binds = 0, prefers = 0;
  };
  static State& state() {
    static State instance;
    return instance;
  }
  static const Errors& errors_now() { return state().errors; }
  template <class Call>
  static long or_error(int error, Call call) {
    return error != 0 ? -error : call();
  }
  static long move(std::size_t count, void** pages, const int* nodes, int* status) noexcept {
    if (nodes != nullptr) ++state().moves;
    if (errors_now().move != 0) return -errors_now().move;
    if (nodes != nullptr && errors_now().move_to != 0) return -errors_now().move_to;
    for (std::size_t i = 0; i < count; ++i) {
      const auto address = reinterpret_cast<std::uintptr_t>(pages[i]);
      const auto found = state().pages.find(address);
      if (found == state().pages.end()) {
        status[i] = -ENOENT;
        continue;
      }
      Stuck& stuck = state().stuck[address];
      if (nodes != nullptr && stuck.times > 0) {
        --stuck.times;
        if (state().gives_up) return static_cast<long>(count - i);
        status[i] = -stuck.error;
        continue;
      }
      if (nodes != nullptr) found->second = nodes[i];
      status[i] = found->second;
    }
    return 0;
  }
};

}  // namespace lares::memory

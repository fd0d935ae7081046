#include "memory/next_touch/keeper.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "memory/helper_thread.hpp"
#include "memory/next_touch/quiet.hpp"

namespace lares::memory {

int Keeper::start(std::span<const int> files) noexcept {
  if (started()) return 0;
  files_ = files;
  state_.store(taken, std::memory_order_relaxed);  // relaxed: the thread is not there yet
  if (start_helper_thread(thread_, &Keeper::run, this) == 0) {
    // acquire: with whether it keeps.
    for (Patience patience; state_.load(std::memory_order_acquire) != idle;) patience.wait();
    if (keeps()) return 0;
    pthread_join(thread_, nullptr);
  }
  state_.store(idle, std::memory_order_relaxed);  // relaxed: nobody asks who is not told to
  end_file_ = eventfd(0, EFD_CLOEXEC);
  return end_file_ < 0 ? errno : 0;
}

int Keeper::launch(pthread_t& thread, void* (*routine)(void*), void* argument) noexcept {
  if (!keeps()) return start_helper_thread(thread, routine, argument);
  Request request;
  request.kind = Kind::launch;
  request.thread = &thread;
  request.routine = routine;
  request.argument = argument;
  const SignalsBlocked blocked;
  return static_cast<int>(ask(request));
}

void Keeper::tell_end() noexcept {
  if (!started()) return;
  Request request;
  request.kind = Kind::tell_end;
  const SignalsBlocked blocked;
  if (keeps()) {
    ask(request);
  } else {
    answer(request);
  }
}

void Keeper::stop() noexcept {
  if (!started()) return;
  if (keeps()) {
    Request request;
    request.kind = Kind::end;
    {
      const SignalsBlocked blocked;
      ask(request);
    }
    pthread_join(thread_, nullptr);
  } else {
    ::close(end_file_);
  }
  lose();
}

/// Leaves a descriptor in the program's table: by now the number may be the program's.
void Keeper::lose() noexcept {
  end_file_ = -1;
  keeps_.store(false, std::memory_order_relaxed);  // relaxed, both: one thread
  state_.store(idle, std::memory_order_relaxed);
}

long Keeper::control(int file, unsigned long request, void* argument) noexcept {
  Request wanted;
  wanted.file = file;
  wanted.request = request;
  wanted.argument = argument;
  return ask(wanted);
}

long Keeper::ask(const Request& request) noexcept {
  Patience patience;
  for (std::uint32_t expected = idle;
       // acquire: the one before is done with the request.
       !state_.compare_exchange_weak(expected, taken, std::memory_order_acquire); expected = idle) {
    patience.wait();
  }
  request_ = request;
  state_.store(asked, std::memory_order_release);  // release: with the request
  state_.notify_one();
  // acquire: with the result.
  while (state_.load(std::memory_order_acquire) != answered) patience.wait();
  const long result = result_;
  state_.store(idle, std::memory_order_release);  // release: the result has been read
  return result;
}

void* Keeper::run(void* self) noexcept {
  auto& keeper = *static_cast<Keeper*>(self);
  keeper.serve(keeper.files_);
  return nullptr;
}

void Keeper::serve(std::span<const int> files) noexcept {
  const bool alone = calls_.keep_only(files.data(), files.size()) >= 0;
  const int file = alone ? eventfd(0, EFD_CLOEXEC) : -1;
  if (file >= 0) end_file_ = file;
  keeps_.store(file >= 0, std::memory_order_relaxed);  // relaxed: told by the state
  state_.store(idle, std::memory_order_release);       // release: with the two above
  for (bool ends = file < 0; !ends;) {
    std::uint32_t seen = state_.load(std::memory_order_acquire);  // acquire: with the request
    if (seen != asked) {
      state_.wait(seen, std::memory_order_acquire);
      continue;
    }
    ends = request_.kind == Kind::end;
    result_ = answer(request_);
    state_.store(answered, std::memory_order_release);  // release: with the result
  }
}

long Keeper::answer(const Request& request) const noexcept {
  switch (request.kind) {
    case Kind::control:
      return calls_.control(request.file, request.request, request.argument);
    case Kind::launch:
      return start_helper_thread(*request.thread, request.routine, request.argument);
    case Kind::tell_end:
      return eventfd_write(end_file_, 1);
    case Kind::end:
      break;
  }
  return 0;
}

}  // namespace lares::memory

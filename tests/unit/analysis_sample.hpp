// A counters file in memory, made as the preloaded library makes it, for the tests of its reader.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/counters.hpp"

namespace lares::test {

/// The head and `slot_count` slots; fill them in, then take the bytes.
class SampleStats {
 public:
  explicit SampleStats(std::size_t slot_count) : slots_(slot_count) {
    file_->magic = runtime::CountersFile::expected_magic;
    file_->slot_bytes = sizeof(runtime::CounterSlot);
    file_->pid = 4711;
    file_->start_ns = 1'000'000;
    file_->end_ns = 3'000'000;  // two milliseconds ...
    file_->start_ticks = 100;
    file_->end_ticks = 4'000'100;  // ... and two ticks per nanosecond
    file_->slots_used = static_cast<std::uint32_t>(slot_count);
    file_->max_threads = static_cast<std::uint32_t>(slot_count);
    file_->regions = 1;
    file_->domains = 2;
    std::strcpy(file_->runtime, "libgomp.so.1");
    std::strcpy(file_->policy, "distribution=cyclic,push=local,steal=nearest");
    std::strcpy(file_->command, "app");
  }

  runtime::CountersFile& head() { return *file_; }
  runtime::CounterSlot& slot(std::size_t i) { return slots_[i]; }

  void add_note(std::string_view text) {
    runtime::Note& note = file_->notes[file_->notes_used.fetch_add(1)];
    text.copy(note.text, sizeof(note.text) - 1);
    note.ready = 1;
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    std::vector<std::byte> all(runtime::CountersFile::slots_offset +
                               slots_.size() * sizeof(runtime::CounterSlot));
    std::memcpy(all.data(), static_cast<const void*>(file_.get()), sizeof(runtime::CountersFile));
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      std::memcpy(
          all.data() + runtime::CountersFile::slots_offset + i * sizeof(runtime::CounterSlot),
          static_cast<const void*>(&slots_[i]), sizeof(runtime::CounterSlot));
    }
    return all;
  }

 private:
  std::unique_ptr<runtime::CountersFile> file_ = std::make_unique<runtime::CountersFile>();
  std::vector<runtime::CounterSlot> slots_;
};

}  // namespace lares::test

// Does to memory what a user of liblares may do to it, in random order and from several threads,
// and knows at any time what every page must hold.
//
// A round is a process of its own, made from a seed: it may crash or hang, and the parent tells
// which round it was and what its threads did last. Each thread owns blocks of pages, whose
// contents only it changes; one block is shared by all, who mark and settle and read it. What other
// threads do (forks, marks, messages of the kernel) is what disturbs. Threads go from processor to
// processor, so that on a machine of several nodes the pages have to follow.
#include <dirent.h>
#include <fcntl.h>
#include <lares/memory.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "standstill.hpp"

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t words_per_page = page / sizeof(std::uint64_t);
constexpr std::size_t most_threads = 4;
constexpr std::size_t most_blocks = 6;
constexpr std::size_t file_pages = 32;

using Word = std::uint64_t;

bool old_ways = false;  // written before there are threads

/// The words of a page that was filled with `seed`; a page of seed 0 is empty.
Word word_of(Word seed, std::size_t i) {
  return seed == 0 ? 0 : (seed + i) * 0x9E3779B97F4A7C15ULL;
}

/// What the parent prints when a round fails; in memory that both share.
struct Journal {
  static constexpr std::size_t kept = 16;
  struct Line {
    std::array<char, 120> text;
  };
  std::array<std::array<Line, kept>, most_threads> lines;
  std::array<std::atomic<unsigned>, most_threads> next;
  std::array<char, 400> failure;
  std::atomic<bool> failed;
  std::atomic<std::uint64_t> operations, marks, refused_marks, forks, moves, direct;
  std::atomic<std::uint64_t> touched_elsewhere;  ///< checked pages, in another domain since a mark
  std::atomic<std::uint64_t> migrated;           ///< pages that an operation moved at once
};
Journal* journal;

[[gnu::format(printf, 1, 2)]] void fail(const char* format, ...) {
  if (journal->failed.exchange(true)) return;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(journal->failure.data(), journal->failure.size(), format, arguments);
  va_end(arguments);
}

struct Page {
  Word seed = 0;
  bool or_empty = false;  ///< an advice may have emptied it
  bool unknown = false;   ///< a system call that failed may have written some of it
  int protection = PROT_READ | PROT_WRITE;
  int home = -1;  ///< its domain before it was marked; for the statistics only
};

enum class Kind { mapped, lares, heap };

struct Block {
  Kind kind = Kind::mapped;
  char* begin = nullptr;   ///< of its first whole page
  void* memory = nullptr;  ///< as it was allocated
  std::vector<Page> pages;
  [[nodiscard]] Word* words(std::size_t i) const {
    return reinterpret_cast<Word*>(begin + i * page);
  }
  [[nodiscard]] std::size_t size() const { return pages.size(); }
};

struct Range {
  std::size_t first, count;
};

struct Shared {
  Block block;
  int file = -1;  ///< of file_pages pages, opened for direct input; -1: none
  int mode = 0;   ///< 0..3: this way only, 4: all
};

class Thread {
 public:
  Thread(const Shared& shared, std::size_t number, Word seed)
      : shared_(shared),
        number_(number),
        dice_(seed * most_threads + number),
        cpu_dice_(seed * most_threads + number) {
    sched_getaffinity(0, sizeof cpus_, &cpus_);
  }

  void run(int steps) {
    for (int step = 0; step < steps && !journal->failed; ++step) {
      if (cpu_dice_() % 8 == 0) go_to_some_cpu();
      one();
      journal->operations.fetch_add(1, std::memory_order_relaxed);
    }
    for (Block& block : blocks_) check(block);
    while (!blocks_.empty()) free_block(blocks_.size() - 1);
  }

 private:
  std::size_t below(std::size_t n) { return dice_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  /// Under protection nobody tells Lares of a move, nor does a system call wait.
  [[nodiscard]] bool may_protect() const { return shared_.mode >= 2 || shared_.mode == 0; }
  [[nodiscard]] bool calls_wait() const { return shared_.mode == 1; }

  /// By dice of its own: what a seed does is the same on any number of processors.
  void go_to_some_cpu() {
    auto left = cpu_dice_() % static_cast<std::size_t>(CPU_COUNT(&cpus_));
    std::size_t cpu = 0;
    for (; !CPU_ISSET(cpu, &cpus_) || left > 0; ++cpu) left -= CPU_ISSET(cpu, &cpus_) ? 1 : 0;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }

  [[gnu::format(printf, 2, 3)]] void note(const char* format, ...) {
    const unsigned at = journal->next[number_].fetch_add(1, std::memory_order_relaxed);
    auto& text = journal->lines[number_][at % Journal::kept].text;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
  }

  Range some(const Block& block) {
    const std::size_t first = below(block.size());
    return {first, one_in(4) ? block.size() - first : 1 + below(block.size() - first)};
  }
  static bool writable(const Block& block, Range range) {
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
      if (block.pages[i].protection != (PROT_READ | PROT_WRITE)) return false;
    }
    return true;
  }
  static bool readable(const Block& block, Range range) {
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
      if (block.pages[i].protection == PROT_NONE) return false;
    }
    return true;
  }

  // --- What a page holds ---------------------------------------------------------------------

  void write(Block& block, std::size_t i) {
    Page& state = block.pages[i];
    if (state.protection != (PROT_READ | PROT_WRITE)) return;
    state = {};
    state.seed = one_in(16) ? 0 : dice_() | 1U;
    volatile Word* const words = block.words(i);
    for (std::size_t j = 0; j < words_per_page; ++j) words[j] = word_of(state.seed, j);
  }
  /// The first word that is wrong, or words_per_page.
  static std::size_t wrong(const Block& block, std::size_t i) {
    const Page& state = block.pages[i];
    if (state.protection == PROT_NONE || state.unknown) return words_per_page;
    const volatile Word* const words = block.words(i);
    const bool empty = state.or_empty && words[0] == 0;
    for (std::size_t j = 0; j < words_per_page; ++j) {
      if (words[j] != word_of(empty ? 0 : state.seed, j)) return j;
    }
    return words_per_page;
  }
  void check_page(const Block& block, std::size_t i, const char* where) {
    const std::size_t at = wrong(block, i);
    if (at == words_per_page) return;
    const Page& state = block.pages[i];
    fail("thread %zu, %s: page %zu of the block at %p (%zu pages): word %zu is %#lx, not %#lx%s",
         number_, where, i, static_cast<void*>(block.begin), block.size(), at, block.words(i)[at],
         word_of(state.seed, at), state.or_empty ? " or 0" : "");
  }
  void check(const Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) check_page(block, i, "at the end");
  }

  // --- Blocks --------------------------------------------------------------------------------

  void make_block() {
    if (blocks_.size() >= most_blocks) return;
    Block block;
    const bool large = one_in(24);
    const std::size_t pages = large ? 512 + below(600) : 1 + below(48);
    block.kind = static_cast<Kind>(below(3));
    if (block.kind == Kind::mapped) {
      block.memory =
          mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (block.memory == MAP_FAILED) return;
      if (one_in(2))
        madvise(block.memory, pages * page, one_in(2) ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    } else if (block.kind == Kind::lares) {
      block.memory = lares_alloc(pages * page, nullptr, large ? LARES_HUGE_PAGES : 0);
    } else {
      block.memory = std::malloc((pages + 2) * page);
    }
    if (block.memory == nullptr) return;
    block.begin = static_cast<char*>(block.memory);
    if (block.kind == Kind::heap) block.begin = first_page(block.memory);
    block.pages.resize(pages);
    for (Page& state : block.pages) state.unknown = block.kind == Kind::heap;
    note("make block at %p, %zu pages, kind %d", static_cast<void*>(block.begin), pages,
         static_cast<int>(block.kind));
    const std::size_t left = one_in(2) ? pages : below(pages);
    for (std::size_t i = 0; i < pages; ++i) {
      if (i < left || block.kind == Kind::heap) write(block, i);
    }
    blocks_.push_back(std::move(block));
  }
  static char* first_page(void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    return reinterpret_cast<char*>((address + page - 1) & ~(page - 1));
  }
  void free_block(std::size_t index) {
    Block& block = blocks_[index];
    note("free block at %p", static_cast<void*>(block.begin));
    if (block.kind == Kind::mapped) {
      munmap(block.begin, block.size() * page);
    } else {
      // An allocator uses it again.
      if (may_protect()) lares_settle(block.begin, block.size() * page);
      mprotect(block.begin, block.size() * page, PROT_READ | PROT_WRITE);
      munlock(block.begin, block.size() * page);
      if (block.kind == Kind::lares) {
        if (lares_free(block.memory) != 0) fail("lares_free: %s", lares_memory_error());
      } else {
        std::free(block.memory);
      }
    }
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  // --- Operations ----------------------------------------------------------------------------

  lares_next_touch_way way() {
    return static_cast<lares_next_touch_way>(
        shared_.mode == 4 ? below(4) : static_cast<std::size_t>(shared_.mode));
  }
  void mark_own(Block& block, Range range) {
    if (lares_domain_count() > 1) {
      std::vector<int> homes(range.count, -1);
      lares_page_homes(block.begin + range.first * page, range.count * page, homes.data(),
                       homes.size());
      for (std::size_t i = 0; i < range.count; ++i) block.pages[range.first + i].home = homes[i];
    }
    mark(block, range);
  }
  void mark(const Block& block, Range range) {
    const auto how = way();
    const std::size_t chunk = below(9) * page;
    note("mark %p page %zu..%zu, way %d, chunk %zu", static_cast<void*>(block.begin), range.first,
         range.first + range.count, static_cast<int>(how), chunk / page);
    const bool attach = one_in(6);
    const int result = (attach ? lares_attach_on_next_touch : lares_migrate_on_next_touch)(
        block.begin + range.first * page, range.count * page, chunk, how);
    (result == 0 ? journal->marks : journal->refused_marks).fetch_add(1, std::memory_order_relaxed);
  }
  void settle(const Block& block, Range range) {
    note("settle %p page %zu..%zu", static_cast<void*>(block.begin), range.first,
         range.first + range.count);
    lares_settle(block.begin + range.first * page, range.count * page);
  }
  void advise(Block& block, Range range) {
    static constexpr std::array advices{MADV_NORMAL,
                                        MADV_RANDOM,
                                        MADV_SEQUENTIAL,
                                        MADV_WILLNEED,
                                        MADV_DONTNEED,
                                        MADV_FREE,
                                        MADV_REMOVE,
                                        MADV_HUGEPAGE,
                                        MADV_NOHUGEPAGE,
                                        MADV_DONTDUMP,
                                        MADV_DODUMP,
                                        MADV_MERGEABLE,
                                        MADV_UNMERGEABLE,
                                        20,
                                        21,
                                        22,
                                        23,
                                        24,
                                        25};
    const int advice = one_in(3) ? MADV_DONTNEED : advices[below(advices.size())];
    note("madvise %d %p page %zu..%zu", advice, static_cast<void*>(block.begin), range.first,
         range.first + range.count);
    const int result = madvise(block.begin + range.first * page, range.count * page, advice);
    constexpr int dontneed_locked = 24;
    const bool empties = advice == MADV_DONTNEED || advice == dontneed_locked;
    if (!empties && advice != MADV_FREE) return;
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
      if (empties && result == 0) {
        const int protection = block.pages[i].protection;
        block.pages[i] = {};
        block.pages[i].protection = protection;
      } else {
        block.pages[i].or_empty = true;
      }
    }
  }
  void protect(Block& block, Range range) {
    static constexpr std::array kinds{PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ,
                                      PROT_NONE};
    const int kind = kinds[below(kinds.size())];
    note("mprotect %d %p page %zu..%zu", kind, static_cast<void*>(block.begin), range.first,
         range.first + range.count);
    if (mprotect(block.begin + range.first * page, range.count * page, kind) != 0) return;
    for (std::size_t i = range.first; i < range.first + range.count; ++i)
      block.pages[i].protection = kind;
  }
  void lock(const Block& block, Range range) {
    const bool on = one_in(2);
    note("%s %p page %zu..%zu", on ? "mlock" : "munlock", static_cast<void*>(block.begin),
         range.first, range.first + range.count);
    (on ? mlock : munlock)(block.begin + range.first * page, range.count * page);
  }
  void migrate(const Block& block, Range range) {
    note("migrate %p page %zu..%zu", static_cast<void*>(block.begin), range.first,
         range.first + range.count);
    char* const at = block.begin + range.first * page;
    lares_move_report report{};
    if (one_in(3)) {
      lares_distribution how{};
      how.kind = one_in(2) ? LARES_INTERLEAVED : LARES_BLOCKED;
      lares_distribute(at, range.count * page, &how, &report);
    } else {
      const auto domains = static_cast<std::size_t>(lares_domain_count());
      lares_migrate(at, range.count * page, static_cast<int>(below(domains)), &report);
    }
    journal->migrated.fetch_add(report.moved, std::memory_order_relaxed);
  }
  /// Of a mapped block, some pages go elsewhere; the rest stays, as one or two blocks.
  void move(std::size_t index) {
    Block& block = blocks_[index];
    if (block.kind != Kind::mapped || blocks_.size() + 2 > most_blocks + 2) return;
    const Range range = one_in(2) ? Range{0, block.size()} : some(block);
    char* const from = block.begin + range.first * page;
    const std::size_t bytes = range.count * page;
    if (may_protect()) lares_settle(from, bytes);
    void* const room = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return;
    const bool keep = one_in(4);
    constexpr int dontunmap = 4;
    note("mremap %p page %zu..%zu to %p%s", static_cast<void*>(block.begin), range.first,
         range.first + range.count, room, keep ? ", DONTUNMAP" : "");
    void* const to =
        mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | (keep ? dontunmap : 0), room);
    if (to == MAP_FAILED) {
      // Some of several mappings may have gone, and others may be there by now: what is where is
      // not known, so neither range is touched again.
      note("refused: %s", std::strerror(errno));
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
      return;
    }
    journal->moves.fetch_add(1, std::memory_order_relaxed);
    const auto first = block.pages.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto last = first + static_cast<std::ptrdiff_t>(range.count);
    Block moved;
    moved.begin = static_cast<char*>(to);
    moved.pages.assign(first, last);
    if (keep) {
      for (auto state = first; state != last; ++state) {
        const int protection = state->protection;
        *state = {};
        state->protection = protection;
      }
    } else {
      cut(index, range);
    }
    blocks_.push_back(std::move(moved));
  }
  /// The pages are there no more.
  void cut(std::size_t index, Range range) {
    const Block whole = std::move(blocks_[index]);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto part = [&](std::size_t first, std::size_t last) {
      if (first >= last) return;
      Block block;
      block.begin = whole.begin + first * page;
      block.pages.assign(whole.pages.begin() + static_cast<std::ptrdiff_t>(first),
                         whole.pages.begin() + static_cast<std::ptrdiff_t>(last));
      blocks_.push_back(std::move(block));
    };
    part(0, range.first);
    part(range.first + range.count, whole.size());
  }
  void unmap_part(std::size_t index) {
    const Block& block = blocks_[index];
    if (block.kind != Kind::mapped) return;
    const Range range = some(block);
    note("munmap %p page %zu..%zu", static_cast<void*>(block.begin), range.first,
         range.first + range.count);
    if (munmap(block.begin + range.first * page, range.count * page) == 0) cut(index, range);
  }
  void resize(std::size_t index) {
    Block& block = blocks_[index];
    const std::size_t pages = 1 + below(2 * block.size());
    if (block.kind != Kind::mapped && !writable(block, {0, block.size()})) return;
    // As the documentation asks for: of a move under protection nobody tells.
    if (may_protect()) lares_settle(block.begin, block.size() * page);
    note("resize %p from %zu to %zu pages", static_cast<void*>(block.begin), block.size(), pages);
    if (block.kind == Kind::mapped) {
      const int protection = block.pages.back().protection;
      void* const to = mremap(block.begin, block.size() * page, pages * page, MREMAP_MAYMOVE);
      if (to == MAP_FAILED) return;
      journal->moves.fetch_add(1, std::memory_order_relaxed);
      block.begin = static_cast<char*>(to);
      const std::size_t before = block.size();
      block.pages.resize(pages);
      for (std::size_t i = before; i < pages; ++i) block.pages[i].protection = protection;
      return;
    }
    void* to = nullptr;
    char* begin = nullptr;
    if (block.kind == Kind::lares) {
      to = lares_realloc(block.memory, pages * page, nullptr, 0);
      begin = static_cast<char*>(to);
    } else {
      const std::size_t offset =
          static_cast<std::size_t>(block.begin - static_cast<char*>(block.memory));
      to = std::realloc(block.memory, (pages + 2) * page);
      if (to == nullptr) return;
      begin = static_cast<char*>(to) + offset;
      if (first_page(to) != begin) {
        // Other pages: the bytes have moved within them.
        block.memory = to;
        block.begin = first_page(to);
        block.pages.assign(pages, {});
        for (std::size_t i = 0; i < pages; ++i) write(block, i);
        return;
      }
    }
    if (to == nullptr) return;
    const std::size_t before = block.size();
    block.memory = to;
    block.begin = begin;
    block.pages.resize(pages);
    for (std::size_t i = before; i < pages; ++i) block.pages[i].unknown = block.kind == Kind::heap;
  }
  /// The child sees what this thread has left; others may be in the midst of writing.
  /// As a program that closes what it does not know of. Not all: other threads of Lares read files.
  void close_what_watches() {
    DIR* const folder = opendir("/proc/self/fd");
    if (folder == nullptr) return;
    note("close what watches");
    while (const dirent* const entry = readdir(folder)) {
      std::array<char, 64> target{};
      const ssize_t length =
          readlinkat(dirfd(folder), entry->d_name, target.data(), target.size() - 1);
      if (length > 0 && std::strcmp(target.data(), "anon_inode:[userfaultfd]") == 0) {
        close(std::atoi(entry->d_name));
      }
    }
    closedir(folder);
  }
  void fork_and_check() {
    note("fork");
    journal->forks.fetch_add(1, std::memory_order_relaxed);
    const pid_t child = fork();
    if (child == 0) {
      for (const Block& block : blocks_) {
        for (std::size_t i = 0; i < block.size(); ++i)
          check_page(block, i, "in the child of a fork");
      }
      for (std::size_t i = 0; i < shared_.block.size(); ++i) {
        check_page(shared_.block, i, "shared, in the child of a fork");
      }
      for (Block& block : blocks_) write(block, 0);
      _exit(0);
    }
    if (child < 0) return;
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) fail("thread %zu: the child of a fork ended with status %#x", number_, status);
  }
  /// Direct input into memory that is marked.
  void read_file(Block& block, Range range) {
    if (shared_.file < 0 || !writable(block, range)) return;
    range.count = std::min(range.count, file_pages);
    const std::size_t first = below(file_pages - range.count + 1);
    char* const at = block.begin + range.first * page;
    note("direct input %p page %zu..%zu", static_cast<void*>(block.begin), range.first,
         range.first + range.count);
    const ssize_t got =
        pread(shared_.file, at, range.count * page, static_cast<off_t>(first * page));
    if (got < 0 && calls_wait())
      fail("thread %zu: direct input: %s", number_, std::strerror(errno));
    const std::size_t read = got < 0 ? 0 : static_cast<std::size_t>(got) / page;
    journal->direct.fetch_add(read > 0 ? 1 : 0, std::memory_order_relaxed);
    for (std::size_t i = 0; i < range.count; ++i) {
      Page& state = block.pages[range.first + i];
      state = {};
      state.seed = first + i + 1;
      state.unknown = i >= read;
    }
  }
  /// The kernel reads and writes the memory itself.
  void through_a_pipe(Block& block, Range range) {
    if (!readable(block, range)) return;
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    const std::size_t i = range.first;
    note("pipe %p page %zu", static_cast<void*>(block.begin), i);
    if (!calls_wait()) lares_touch(block.words(i), page);
    const ssize_t sent = ::write(ends[1], block.words(i), page);
    if (sent < 0 && calls_wait()) fail("thread %zu: write: %s", number_, std::strerror(errno));
    if (sent == static_cast<ssize_t>(page)) {
      std::array<Word, words_per_page> copy;
      const ssize_t back = read(ends[0], copy.data(), page);
      if (back == static_cast<ssize_t>(page) && wrong(block, i) == words_per_page &&
          !block.pages[i].unknown && !block.pages[i].or_empty &&
          std::memcmp(copy.data(), block.words(i), page) != 0) {
        fail("thread %zu: write sent other bytes than page %zu of %p holds", number_, i,
             static_cast<void*>(block.begin));
      }
    }
    close(ends[0]);
    close(ends[1]);
  }

  void one() {
    if (blocks_.empty() || one_in(40)) return make_block();
    if (one_in(8)) return use_shared();
    const std::size_t index = below(blocks_.size());
    Block& block = blocks_[index];
    const Range range = some(block);
    switch (below(24)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return mark_own(block, range);
      case 4:
        return mark_own(block, {0, block.size()});
      case 5:
        return settle(block, range);
      case 6:
      case 7:
        return advise(block, range);
      case 8:
      case 9:
        return protect(block, range);
      case 10:
        return lock(block, range);
      case 11:
        return migrate(block, range);
      case 12:
        return move(index);
      case 13:
        return one_in(3) ? unmap_part(index) : resize(index);
      case 14:
        return one_in(4) ? free_block(index) : make_block();
      case 15:
        if (one_in(3)) return fork_and_check();
        if (one_in(16)) close_what_watches();
        return;
      case 16:
        return read_file(block, range);
      case 17:
        return through_a_pipe(block, range);
      case 18:
      case 19:
        return write(block, range.first);
      default:
        note("check %p page %zu", static_cast<void*>(block.begin), range.first);
        check_page(block, range.first, "read");
        return count_if_elsewhere(block, range.first);
    }
  }
  /// Whether it was in another domain before it was marked.
  static void count_if_elsewhere(Block& block, std::size_t i) {
    const int before = std::exchange(block.pages[i].home, -1);
    int now = -1;
    if (before < 0 || block.pages[i].protection == PROT_NONE) return;
    lares_page_homes(block.begin + i * page, page, &now, 1);
    if (now >= 0 && now != before) {
      journal->touched_elsewhere.fetch_add(1, std::memory_order_relaxed);
    }
  }
  void use_shared() {
    const Block& block = shared_.block;
    const Range range = some(block);
    switch (below(5)) {
      case 0:
        return mark(block, range);
      case 1:
        return settle(block, range);
      default:
        note("check shared page %zu", range.first);
        return check_page(block, range.first, "shared");
    }
  }

  const Shared& shared_;
  const std::size_t number_;
  std::mt19937_64 dice_;
  std::mt19937_64 cpu_dice_;
  cpu_set_t cpus_;
  std::vector<Block> blocks_;
};

/// Pages of seeds 1, 2, ...; -1 if the file system has no direct input.
int make_file(const char* path) {
  const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  bool written = true;
  for (std::size_t i = 0; i < file_pages; ++i) {
    std::array<Word, words_per_page> words;
    for (std::size_t j = 0; j < words_per_page; ++j) words[j] = word_of(i + 1, j);
    written = written && write(file, words.data(), page) == static_cast<ssize_t>(page);
  }
  close(file);
  const int direct = written ? open(path, O_RDONLY | O_DIRECT | O_CLOEXEC) : -1;
  unlink(path);
  return direct;
}

[[noreturn]] void play(Word seed, int mode, const std::string& file) {
  setpgid(0, 0);
  Shared shared;
  shared.mode = mode;
  shared.file = make_file(file.c_str());
  constexpr std::size_t shared_pages = 64;
  shared.block.begin = static_cast<char*>(mmap(nullptr, shared_pages * page, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  shared.block.pages.resize(shared_pages);
  for (std::size_t i = 0; i < shared_pages; ++i) {
    shared.block.pages[i].seed = 1000 + i;
    for (std::size_t j = 0; j < words_per_page; ++j)
      shared.block.words(i)[j] = word_of(1000 + i, j);
  }
  const std::size_t count = 1 + seed % most_threads;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back([&, t] { Thread(shared, t, seed).run(400); });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(journal->failed ? 1 : 0);
}

/// What each thread of the round and of its forks has done, and where it is. Without another
/// program: in a guest of the lab there is none.
void print_threads(pid_t group) {
  for (const auto& [thread, times] : torture::threads_of_group(group)) {
    std::fprintf(stderr, "  thread %d: state %c, ran %.3f s in %lu turns, waited for them %.3f s\n",
                 thread, times.state, static_cast<double>(times.ran) * 1e-9, times.turns,
                 static_cast<double>(times.waited) * 1e-9);
    std::array<char, 2048> text{};
    const std::string name = "/proc/" + std::to_string(thread) + "/stack";
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text.data(), text.size() - 1);
    if (file >= 0) close(file);
    std::fputs(got < 0 ? "  its stack is not to be read\n" : text.data(), stderr);
  }
}

/// A round fails, too, if it stood still for so many times the limit because a thread of it that
/// could run was given no processor.
constexpr int most_starved = 10;

constexpr std::array ways{"automatic", "thread", "signal", "protect", "mixed"};

struct Options {
  double seconds = 60;
  Word seed = 1;
  long rounds = -1;  ///< as many as there is time for
  long repeat = 1;   ///< rounds with each seed
  int mode = -1;     ///< each in turn
  int limit = 30;    ///< seconds without an operation after which a round hangs
  std::string file = "/tmp/lares-torture.data";
};

/// True if the round passed.
bool play_round(Word seed, int mode, const Options& options) {
  journal->failed = false;
  for (auto& next : journal->next) next = 0;
  const pid_t child = fork();
  if (child == 0) play(seed, mode, options.file);
  int status = -1;
  const timespec moment{0, 10'000'000};
  pid_t ended = 0;
  torture::Standstill still;
  while (ended == 0 && still.seconds() < options.limit &&
         still.starved() < most_starved * options.limit) {
    ended = waitpid(child, &status, WNOHANG);
    if (ended != 0) break;
    nanosleep(&moment, nullptr);
    still.look(child, journal->operations);
  }
  if (ended == child && status == 0) return true;
  std::fprintf(stderr,
               "torture: failed: --seed %llu --way %s: ", static_cast<unsigned long long>(seed),
               ways[static_cast<std::size_t>(mode)]);
  if (ended == 0) {
    std::fprintf(stderr,
                 "nothing got on for %.0f seconds, and for %.0f in which a thread could run and "
                 "was not let\n",
                 still.seconds(), still.starved());
    print_threads(child);
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  } else if (WIFSIGNALED(status)) {
    std::fprintf(stderr, "signal %d\n", WTERMSIG(status));
  }
  kill(-child, SIGKILL);  // children of its forks
  if (journal->failed) std::fprintf(stderr, "%s\n", journal->failure.data());
  for (std::size_t t = 0; t < most_threads; ++t) {
    const unsigned next = journal->next[t];
    for (unsigned i = next < Journal::kept ? 0 : next - Journal::kept; i < next; ++i) {
      std::fprintf(stderr, "  thread %zu, %4u: %s\n", t, i,
                   journal->lines[t][i % Journal::kept].text.data());
    }
  }
  return false;
}

/// False if a word is none of the options, or no value of its option; said then.
bool parse(int count, char** values, Options& options) {
  for (int i = 1; i < count; i += 2) {
    const std::string name = values[i];
    const std::string value = i + 1 < count ? values[i + 1] : "";
    char* end = nullptr;
    const unsigned long long number = std::strtoull(value.c_str(), &end, 10);
    bool good = !value.empty() && *end == 0;
    if (name == "--seconds") {
      options.seconds = static_cast<double>(number);
    } else if (name == "--seed") {
      options.seed = number;
    } else if (name == "--rounds") {
      options.rounds = static_cast<long>(number);
    } else if (name == "--repeat") {
      options.repeat = static_cast<long>(number);
      good = good && number > 0;
    } else if (name == "--limit") {
      options.limit = static_cast<int>(number);
      good = good && number > 0;
    } else if (name == "--ways") {
      old_ways = value == "old";
      good = value == "old" || value == "new";
    } else if (name == "--file") {
      options.file = value;
      good = !value.empty();
    } else {
      for (std::size_t w = 0; w < ways.size(); ++w) {
        if (name == "--way" && value == ways[w]) options.mode = static_cast<int>(w);
      }
      good = name == "--way" && options.mode >= 0;
    }
    if (good) continue;
    std::fprintf(
        stderr,
        "torture: '%s %s' is none of --seed N, --rounds N, --repeat N, --limit SECONDS, "
        "--seconds N, --file PATH, --ways old|new, --way automatic|thread|signal|protect|mixed\n",
        name.c_str(), value.c_str());
    return false;
  }
  return true;
}

}  // namespace

/// Stands before the C library's for liblares, too. With --ways old the kernel seems to be one
/// before Linux 6.8, which could not move pages.
extern "C" [[gnu::visibility("default")]] int ioctl(int descriptor, unsigned long request,
                                                    ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  constexpr std::uint64_t feature_move = std::uint64_t{1} << 16U;
  if (old_ways && request == UFFDIO_API &&
      (static_cast<const uffdio_api*>(argument)->features & feature_move) != 0) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(syscall(SYS_ioctl, descriptor, request, argument));
}

int main(int count, char** values) {
  Options options;
  if (!parse(count, values, options)) return 2;
  void* const memory =
      mmap(nullptr, sizeof(Journal), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  journal = static_cast<Journal*>(memory);
  timespec start{};
  clock_gettime(CLOCK_MONOTONIC, &start);
  long passed = 0;
  long failed = 0;
  Word last = options.seed;
  for (long round = 0; options.rounds < 0 || round < options.rounds; ++round) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const bool over = static_cast<double>(now.tv_sec - start.tv_sec) >= options.seconds;
    if (options.rounds < 0 && over) break;
    last = options.seed + static_cast<Word>(round / options.repeat);
    const int mode =
        options.mode >= 0 ? options.mode : static_cast<int>(last / most_threads % ways.size());
    ++(play_round(last, mode, options) ? passed : failed);
  }
  std::printf("seeds %lu to %lu on %d domains: ", options.seed, last, lares_domain_count());
  std::printf(
      "%lu operations: %lu marks and %lu refused, %lu forks, %lu moves, %lu direct inputs\n",
      journal->operations.load(), journal->marks.load(), journal->refused_marks.load(),
      journal->forks.load(), journal->moves.load(), journal->direct.load());
  std::printf("pages in another domain: %lu seen after their next touch, %lu moved at once\n",
              journal->touched_elsewhere.load(), journal->migrated.load());
  std::printf("%ld passed, %ld failed\n", passed, failed);
  return failed > 0 ? 1 : 0;
}

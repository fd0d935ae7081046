#include "memory/page_homes.hpp"

#include "base/disorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace lares::memory {
namespace {

// A word of the table: what is known of one range's pages. A zero word is an empty slot.
// DomainField (bits 0-11)          the home, none for `unknown`
using StateField = Field<12, 2>;       // one of the states below
using ExponentField = Field<14, 3>;    // how often it proved right: the interval grows with it
using LeftField = Field<17, 15>;       // uses left until it is checked
using GenerationField = Field<32, 6>;  // of its area when it was learnt
// TagField (bits 38-63)            which range it is about
static_assert(GenerationField::max == Generations::max);

constexpr std::uint64_t empty = 0;
constexpr std::uint64_t found = 1;    // the kernel said so
constexpr std::uint64_t assumed = 2;  // a distribution said so
constexpr std::uint64_t unknown = 3;  // the kernel does not know: not mapped, no domain's node

constexpr std::uint64_t most_exponent = 4;          // 64 << 8 uses
constexpr std::uint64_t most_exponent_unknown = 1;  // memory may be mapped there later
constexpr std::uint64_t most_exponent_assumed = 6;  // while the task that will touch it waits
constexpr unsigned most_first_recheck = 127;        // << 8 still fits LeftField

unsigned system_page_shift() noexcept {
  const long bytes = sysconf(_SC_PAGESIZE);
  return bytes > 0 ? static_cast<unsigned>(std::countr_zero(static_cast<unsigned long>(bytes)))
                   : 12;
}

PageHomesOptions checked(PageHomesOptions options) noexcept {
  options.table_bits = std::clamp(options.table_bits, 4U, 24U);
  options.samples = std::clamp<std::size_t>(options.samples, 1, max_sampled_pages);
  options.first_recheck = std::clamp(options.first_recheck, 1U, most_first_recheck);
  options.count_every = std::bit_floor(std::clamp(options.count_every, 1U, 1024U));
  if (options.page_shift == 0) options.page_shift = system_page_shift();
  return options;
}

/// True once in `every` calls of a thread (a power of two), without a rhythm that a program's loop
/// over its blocks could fall in step with.
bool sampled(unsigned every) noexcept {
  // initial-exec: the library is there from the start, so no call is needed to find the variable.
  [[gnu::tls_model("initial-exec")]] thread_local constinit std::uint32_t state = 1;
  state = state * 1664525U + 1013904223U;  // a full-period generator; its high bits are good
  return (state >> 16U & (every - 1U)) == 0;
}

/// Ranges of nearly one length share an entry: their first page and the log2 of their pages.
std::uint64_t key_of(const PageRange& range) noexcept {
  return range.first << 6U | static_cast<std::uint64_t>(std::bit_width(range.count - 1));
}

PageHome answer(std::uint64_t word) noexcept { return {domain_of(word), false}; }

}  // namespace

PageHomes::PageHomes(std::vector<DomainId> domain_of_node, const SystemCalls& calls,
                     const PageHomesOptions& options)
    : domain_of_node_(std::move(domain_of_node)),
      calls_(calls),
      options_(checked(options)),
      mask_((std::size_t{1} << options_.table_bits) - 1),
      memory_((mask_ + 1) * sizeof(Word)),
      table_(static_cast<Word*>(memory_.data())) {}

PageHome PageHomes::find(std::uintptr_t address, Bytes length) noexcept {
  if (refused() != 0 || table_ == nullptr) return {};
  const Slot slot = slot_of(key_of(pages_of(address, length, options_.page_shift)), mask_);
  // relaxed, here and in all accesses to the table: a word is a whole fact by itself.
  const std::uint64_t word = table_[slot.index].load(std::memory_order_relaxed);
  const bool known = TagField::get(word) == slot.tag && StateField::get(word) != empty;
  if (!known) return learn(address, length);
  const std::uint64_t generation = generations_.of(address);
  if (!due(table_[slot.index], word, generation)) return answer(word);
  return check(address, length, word, GenerationField::get(word) == generation);
}

void PageHomes::assume(std::uintptr_t address, Bytes length, DomainId home) noexcept {
  if (refused() != 0 || table_ == nullptr) return;
  memory_.populate();
  const Entry entry = entry_of(address, length);
  entry.word.store(make(entry, assumed, 0, home), std::memory_order_relaxed);
}

void PageHomes::forget(std::uintptr_t address, Bytes length) noexcept {
  if (table_ == nullptr) return;
  const Entry entry = entry_of(address, length);
  const std::uint64_t word = entry.word.load(std::memory_order_relaxed);
  if (TagField::get(word) == entry.tag) entry.word.store(empty, std::memory_order_relaxed);
  generations_.bump_inside(address, length);
}

PageHomes::Entry PageHomes::entry_of(std::uintptr_t address, Bytes length) noexcept {
  const PageRange range = pages_of(address, length, options_.page_shift);
  const Slot slot = slot_of(key_of(range), mask_);
  return {table_[slot.index], slot.tag, range, address};
}

std::uint64_t PageHomes::interval(std::uint64_t state, std::uint64_t exponent) const noexcept {
  // An assumption is to be verified by one query at the next use after it; then at every 2nd,
  // 4th...
  if (state == assumed) return std::uint64_t{1} << exponent;
  return std::uint64_t{options_.first_recheck} << 2 * exponent;
}

std::uint64_t PageHomes::make(const Entry& entry, std::uint64_t state, std::uint64_t exponent,
                              DomainId domain) const noexcept {
  std::uint64_t word = 0;
  word = DomainField::put(word, to_field(domain));
  word = StateField::put(word, state);
  word = ExponentField::put(word, exponent);
  word = LeftField::put(word, interval(state, exponent));
  word = GenerationField::put(word, generations_.of(entry.address));
  return TagField::put(word, entry.tag);
}

/// Counts one use. True for the one thread that is to check the entry; the others go on with what
/// it says, as its count starts anew at once.
bool PageHomes::due(Word& word, std::uint64_t seen, std::uint64_t generation) noexcept {
  if (GenerationField::get(seen) != generation) return claim(word, seen, generation);
  const bool exact = StateField::get(seen) == assumed;
  if (!exact && !sampled(options_.count_every)) return false;
  const std::uint64_t uses = exact ? 1 : options_.count_every;
  const std::uint64_t left = LeftField::get(seen);
  if (left <= uses) return claim(word, seen, generation);
  // An exchange, so that an old count cannot overwrite a new fact; a lost count is no harm.
  word.compare_exchange_strong(seen, LeftField::put(seen, left - uses), std::memory_order_relaxed);
  return false;
}

bool PageHomes::claim(Word& word, std::uint64_t seen, std::uint64_t generation) noexcept {
  const std::uint64_t uses = interval(StateField::get(seen), ExponentField::get(seen));
  const std::uint64_t claimed = GenerationField::put(LeftField::put(seen, uses), generation);
  return word.compare_exchange_strong(seen, claimed, std::memory_order_relaxed);
}

PageHome PageHomes::learn(std::uintptr_t address, Bytes length) noexcept {
  memory_.populate();
  const Entry entry = entry_of(address, length);
  const PageAnswer now = ask(entry.range);
  const DomainId domain = domain_of_node(now.node);
  switch (now.state) {
    case PageAnswer::State::refused:
      return {};
    case PageAnswer::State::unplaced:
      return {DomainId{}, true};  // not kept: the next touch makes it wrong
    case PageAnswer::State::found:
    case PageAnswer::State::unknown:
      break;
  }
  entry.word.store(make(entry, domain.valid() ? found : unknown, 0, domain),
                   std::memory_order_relaxed);
  return {domain, false};
}

PageHome PageHomes::check(std::uintptr_t address, Bytes length, std::uint64_t old,
                          bool was_fresh) noexcept {
  const Entry entry = entry_of(address, length);
  const std::uint64_t old_state = StateField::get(old);
  const PageAnswer now = ask(entry.range);
  if (now.state == PageAnswer::State::refused) return {};
  if (old_state == assumed && now.state != PageAnswer::State::found) {
    return keep_assumption(entry, old);
  }
  const DomainId domain = domain_of_node(now.node);
  const bool unplaced = now.state == PageAnswer::State::unplaced;
  const bool right = domain == domain_of(old) && !unplaced;
  // Pages that moved moved with their neighbours. If the entry was known to be old, the area has
  // been marked already: marking it at every old entry would check all of them again and again.
  if (!right && old_state == found && was_fresh) generations_.bump(entry.address);
  if (unplaced) {
    entry.word.store(empty, std::memory_order_relaxed);
    return {DomainId{}, true};
  }
  const std::uint64_t state = domain.valid() ? found : unknown;
  const std::uint64_t most = state == found ? most_exponent : most_exponent_unknown;
  const bool proved = right && old_state != assumed;
  const std::uint64_t exponent = proved ? std::min(ExponentField::get(old) + 1, most) : 0;
  entry.word.store(make(entry, state, exponent, domain), std::memory_order_relaxed);
  return {domain, false};
}

PageHome PageHomes::keep_assumption(const Entry& entry, std::uint64_t old) noexcept {
  const std::uint64_t exponent = std::min(ExponentField::get(old) + 1, most_exponent_assumed);
  entry.word.store(make(entry, assumed, exponent, domain_of(old)), std::memory_order_relaxed);
  return answer(old);
}

PageAnswer PageHomes::ask(const PageRange& range) noexcept {
  queries_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a statistic
  const PageAnswer now = ask_where(calls_, range, options_.page_shift, options_.samples);
  disorder::pause(disorder::Point::page_query);
  if (now.state == PageAnswer::State::refused) {
    int none = 0;
    // Only the first refusal is kept. relaxed: the number is all there is to say.
    refused_.compare_exchange_strong(none, now.error, std::memory_order_relaxed);
  }
  return now;
}

DomainId PageHomes::domain_of_node(OsNode node) const noexcept {
  if (!node.valid() || node.index() >= domain_of_node_.size()) return {};
  return domain_of_node_[node.index()];
}

}  // namespace lares::memory

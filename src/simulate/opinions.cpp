#include "simulate/opinions.hpp"

#include <algorithm>
#include <utility>

#include "decide/limits.hpp"

namespace lares::simulate {
namespace {

constexpr std::uintptr_t first_address = 1U << 20U;  // of the blocks, one behind the other
constexpr std::uintptr_t page_size = 4096;
constexpr std::uintptr_t flags_at = 1U << 19U;  // a byte for each block

std::vector<std::uintptr_t> addresses_of(const Workload& workload) {
  std::vector<std::uintptr_t> addresses;
  std::uintptr_t next = first_address;
  for (const Block& block : workload.blocks) {
    addresses.push_back(next);
    next += (block.bytes.count + page_size) / page_size * page_size;
  }
  return addresses;
}

/// How decide/ sees the flags of a task's blocks.
class NamesOf {
 public:
  explicit NamesOf(std::span<const Access> all) : all_(all) {}
  [[nodiscard]] std::uintptr_t first_written() const {
    const auto written = std::ranges::find_if(all_, is_written);
    return written == all_.end() ? 0 : flags_at + written->block;
  }
  [[nodiscard]] bool writes_several() const { return std::ranges::count_if(all_, is_written) > 1; }
  [[nodiscard]] bool reads(std::uintptr_t name) const {
    return std::ranges::any_of(all_, [name](const Access& access) {
      return access.mode == policy::AccessMode::read && flags_at + access.block == name;
    });
  }
  template <class Use>
  void for_each(Use use) const {
    for (const Access& access : all_) use(flags_at + access.block, is_written(access));
  }

 private:
  static bool is_written(const Access& access) { return policy::writes(access.mode); }
  std::span<const Access> all_;
};

}  // namespace

class Opinions::Creating {
 public:
  explicit Creating(Opinions& opinions) : opinions_(&opinions) {}
  [[nodiscard]] const policy::Places& places() const { return opinions_->places_; }
  [[nodiscard]] std::size_t workers() const { return places().worker_count(); }
  [[nodiscard]] std::uint32_t round() const { return opinions_->round_; }
  [[nodiscard]] decide::NameBook& names() const { return opinions_->names_; }
  [[nodiscard]] bool begins_hold(decide::Series& series) const {
    if (opinions_->hurried_ >= decide::limits::most_hurried) return false;
    opinions_->held_series_ = &series;
    return true;
  }
  void settles() const {
    if (!opinions_->settles_) opinions_->told_by_name_ = 0;
    opinions_->settles_ = true;
  }
  [[nodiscard]] DomainId home_of_page(std::uintptr_t address) const {
    return opinions_->home_of_page(address);
  }
  /// Of a flag: all of them lie with the first thread.
  [[nodiscard]] int place_of(std::uintptr_t /*address*/) const {
    return places().domain_of(WorkerId{0}).value();
  }

 private:
  Opinions* opinions_;
};

Opinions::Opinions(const Workload& workload, const policy::Places& places,
                   const std::vector<DomainId>& homes, std::uint64_t ticks_per_microsecond)
    : workload_(workload),
      places_(places),
      homes_(homes),
      addresses_(addresses_of(workload)),
      hold_(ticks_per_microsecond),
      enough_(
          decide::enough_held(decide::own_queue_limits(places.worker_count(), true, false)[0])) {}

decide::Opinion Opinions::next(TaskIndex task) {
  const decide::Opinion opinion = opinion_of(task);
  const bool is_told_anew = opinion.names != 0 && settles_;
  if (is_told_anew && decide::are_settled(++told_by_name_, opinion.names)) settles_ = false;
  return opinion;
}

decide::Opinion Opinions::opinion_of(TaskIndex task) {
  const std::uintptr_t code = code_of(task);
  decide::Series& series = series_.of(code);
  switch (workload_.told) {
    case Told::data:
      break;
    case Told::pointers: {
      const std::vector<std::uintptr_t> words = words_of(task);
      return decide::by_arguments(Creating(*this), series, words);
    }
    case Told::names: {
      const decide::Opinion opinion =
          decide::by_name(Creating(*this), series, code, NamesOf(workload_.accesses_of(task)));
      held_by_strong_names_ = opinion.strong;
      return opinion;
    }
    case Told::nothing:
      return decide::by_series(Creating(*this), series);
  }
  return {};
}

std::uintptr_t Opinions::code_of(TaskIndex task) const {
  return std::uintptr_t{64} * (workload_.tasks[task].construct + 1);
}

std::uintptr_t Opinions::name_of(TaskIndex task) const {
  return NamesOf(workload_.accesses_of(task)).first_written();
}

std::vector<std::uintptr_t> Opinions::words_of(TaskIndex task) const {
  std::vector<std::uintptr_t> words;
  for (const Access& access : workload_.accesses_of(task)) {
    words.push_back(addresses_[access.block]);
  }
  return words;
}

DomainId Opinions::home_of_page(std::uintptr_t address) const {
  const auto behind = std::ranges::upper_bound(addresses_, address);
  if (behind == addresses_.begin()) return {};
  const DomainId home = homes_[static_cast<std::size_t>(behind - addresses_.begin()) - 1];
  return home.valid() ? places_.with_workers(places_.with_cores(home)) : home;
}

bool Opinions::holds_others(TaskIndex task) const {
  return holds_any() && workload_.tasks[held_.front()].construct != workload_.tasks[task].construct;
}

bool Opinions::is_full() const {
  return held_.size() >= static_cast<std::size_t>(decide::deque_room());
}

decide::Hold::Next Opinions::hold(TaskIndex task, std::uint64_t now) {
  const bool has_pace = workload_.told != Told::names;
  if (held_.empty()) hold_.begin(now);
  const decide::Hold::Next next = hold_.next(enough_, has_pace);
  if (next != decide::Hold::Next::keep) return next;
  held_.push_back(task);
  end_hold(hold_.kept(now));
  return next;
}

void Opinions::end_hold(decide::Hold::End why) {
  const std::uint32_t pauses = decide::Hold::is_hurry(why) ? ++hurried_ : 0;
  if (decide::Hold::goes_on_after(why, pauses)) return;
  if (held_series_ != nullptr) decide::give_up(*held_series_, why);
  is_given_up_ = true;
}

void Opinions::end_holding() {
  hold_.end();
  held_.clear();
  is_given_up_ = false;
  held_by_strong_names_ = false;
}

std::vector<Opinions::Dealt> Opinions::take_unknown() {
  std::vector<Dealt> dealt;
  for (const TaskIndex task : held_) dealt.push_back({.task = task});
  end_holding();
  return dealt;
}

// By their parts of the order of memory, or of what they point to.
std::vector<Opinions::Dealt> Opinions::homes_of_held() {
  if (workload_.told == Told::names) {
    std::ranges::sort(held_, {}, [this](TaskIndex task) { return name_of(task); });
  }
  const std::size_t domains = places_.domains_with_workers().size();
  std::vector<Dealt> dealt;
  for (std::size_t position = 0; position < held_.size(); ++position) {
    DomainId home = decide::home_of_part(places_, position, held_.size(), places_.worker_count());
    if (workload_.told == Told::pointers && held_series_ != nullptr) {
      const DomainId told = held_series_->arguments().again(
          words_of(held_[position]), domains, home,
          [this](std::uintptr_t page) { return home_of_page(page); });
      if (told.valid()) home = told;
    }
    dealt.push_back({held_[position], home, held_by_strong_names_});
  }
  return dealt;
}

// In turn for each domain: those that come last would be idle meanwhile.
std::vector<Opinions::Dealt> Opinions::take_dealt() {
  if (held_.size() < places_.domains_with_workers().size()) return take_unknown();
  hurried_ = 0;
  Creating(*this).settles();
  std::vector<std::vector<Dealt>> by_home(places_.domain_count());
  for (const Dealt& each : homes_of_held()) by_home[each.home.index()].push_back(each);
  const bool is_new = hold_.comes_to_new_memory();
  if (held_series_ != nullptr) held_series_->was_dealt(is_new);
  names_.was_dealt(code_of(held_.front()), is_new);
  end_holding();
  std::vector<Dealt> in_turn;
  bool more = true;
  for (std::size_t round = 0; more; ++round) {
    more = false;
    for (const std::vector<Dealt>& of_one : by_home) {
      if (round >= of_one.size()) continue;
      in_turn.push_back(of_one[round]);
      more = true;
    }
  }
  return in_turn;
}

void Opinions::end_round() {
  ++round_;
  settles_ = false;
}

DomainId home_of_most(const Workload& workload, TaskIndex task,
                      const std::vector<DomainId>& homes) {
  std::vector<double> bytes;
  DomainId most;
  for (const Access& access : workload.accesses_of(task)) {
    const DomainId home = homes[access.block];
    if (!home.valid()) continue;
    if (home.index() >= bytes.size()) bytes.resize(home.index() + 1);
    bytes[home.index()] += access.bytes * (policy::writes(access.mode) ? 2 : 1);
    if (!most.valid() || bytes[home.index()] > bytes[most.index()]) most = home;
  }
  return most;
}

}  // namespace lares::simulate

#include "host/openmp/bubbles_data.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "host/openmp/bubbles_inside.hpp"
#include "host/openmp/bubbles_resting.hpp"
#include "runtime/engine.hpp"

namespace lares::omp::bubbles {

namespace {

pthread_key_t g_outside_key;
pthread_once_t g_outside_once = PTHREAD_ONCE_INIT;

/// Bytes by domain, by some of the pages.
std::vector<std::uint64_t> locate(const Data& data, const DataCalls& calls, std::size_t domains) {
  constexpr std::size_t most_samples = 64;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = (data.bytes + page - 1) / page;
  const std::size_t samples = std::min(pages, most_samples);
  std::vector<std::uint64_t> found(domains, 0);
  std::vector<std::uint64_t> sum(domains, 0);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t at = i * pages / samples * page;
    const std::size_t bytes = std::min(page, data.bytes - at);
    std::fill(found.begin(), found.end(), 0);
    std::uint64_t absent = 0;
    std::uint64_t unknown = 0;
    const auto* memory = reinterpret_cast<const char*>(data.begin) + at;
    if (calls.homes(memory, bytes, found.data(), domains, &absent, &unknown) != 0) continue;
    for (std::size_t d = 0; d < domains; ++d) {
      if (found[d] != 0) sum[d] += data.bytes / samples;
    }
  }
  return sum;
}

}  // namespace

Outside* outside_of_this_thread(bool make) noexcept {
  pthread_once(&g_outside_once, [] {
    pthread_key_create(&g_outside_key, [](void* data) { delete static_cast<Outside*>(data); });
  });
  auto* outside = static_cast<Outside*>(pthread_getspecific(g_outside_key));
  if (outside == nullptr && make) {
    outside = new Outside;
    pthread_setspecific(g_outside_key, outside);
  }
  return outside;
}

Located locate_all(const std::vector<Data>& data, const DataCalls& calls) {
  Located located;
  if (calls.homes == nullptr) return located;
  located.reserve(data.size());
  for (const Data& each : data) {
    located.push_back(locate(each, calls, g_shared->queues.domain_count()));
  }
  return located;
}

void attach(const Member& member, const Located& located) {
  for (const auto& by_domain : located) {
    for (std::size_t d = 0; d < by_domain.size(); ++d) {
      if (by_domain[d] != 0) g_shared->forest.attach(member.entity, DomainId{d}, by_domain[d]);
    }
  }
}

void attach_anew(const Member& member, const Located& located) {
  g_shared->forest.detach(member.entity);
  attach(member, located);
}

Known data_of(const Member& member) {
  const std::lock_guard lock(g_bubbles_lock);
  return {member.data, g_shared->calls};
}

void let_follow(const std::vector<Data>& data, const DataCalls& calls) noexcept {
  if (calls.follow == nullptr) return;
  if (!data.empty()) counters().bubble_data.add(data.size());
  bool refused = false;
  for (const Data& each : data) {
    refused |= calls.follow(reinterpret_cast<void*>(each.begin), each.bytes, 0, 0) != 0;
  }
  if (refused) {
    runtime::Engine::instance().note(
        "data of threads that moved stays where it is: the kernel does not watch it");
  }
}

// --- what the program says

void add_data(const Data& data, const DataCalls& calls, Shake shake) noexcept {
  Member* const member = t_member;
  if (member == nullptr) {
    outside_of_this_thread(true)->data.push_back(data);
    g_said_outside.store(true, std::memory_order_relaxed);  // read by the same thread
    const std::lock_guard lock(g_bubbles_lock);
    g_shared->calls = calls;
    return;
  }
  const Located located = locate_all({data}, calls);
  std::vector<Data> follow;
  {
    const Books books;
    g_shared->calls = calls;
    const auto same = [&](const Data& other) {
      return other.begin == data.begin && other.bytes == data.bytes;
    };
    member->is_told_of.store(true, std::memory_order_relaxed);
    if (std::none_of(member->data.begin(), member->data.end(), same)) {
      member->data.push_back(data);
      attach(*member, located);
      if (member->brings_data) follow.push_back(data);
    }
    member->shakes = member->shakes || shake == Shake::next_region;
    if (shake == Shake::now) {
      place_anew(*member);
      const std::vector<Data> moved = carry_out_moves(counters().bubble_shakes);
      follow.insert(follow.end(), moved.begin(), moved.end());
    }
  }
  let_follow(follow, calls);
  if (shake == Shake::together) t_team->shake_together();
}

void clear_data() noexcept {
  Member* const member = t_member;
  if (member == nullptr) {
    if (Outside* said = outside_of_this_thread(false); said != nullptr) said->data.clear();
    return;
  }
  const std::lock_guard lock(g_bubbles_lock);
  member->data.clear();
  g_shared->forest.detach(member->entity);
}

void add_next_team_data(const Data& data, std::size_t chunk, const DataCalls& calls) noexcept {
  const std::lock_guard lock(g_bubbles_lock);
  g_shared->calls = calls;
  g_shared->next_team.push_back({data, chunk});
  g_next_team_told.store(true, std::memory_order_relaxed);
}

void set_load(double work_left) noexcept {
  Member* const member = t_member;
  if (member == nullptr) return;
  const std::lock_guard lock(g_bubbles_lock);
  member->is_told_of.store(true, std::memory_order_relaxed);
  member->load = std::max(work_left, 0.0);
  g_shared->forest.set_load(member->entity, member->load);
}

void set_intensity(double intensity) noexcept {
  Member* const member = t_member;
  if (member == nullptr) return;
  const std::lock_guard lock(g_bubbles_lock);
  member->is_told_of.store(true, std::memory_order_relaxed);
  g_shared->forest.set_intensity(member->entity, std::max(intensity, 0.0));
}

void let_follow(const Following& what) noexcept { let_follow(what.data, what.calls); }

}  // namespace lares::omp::bubbles

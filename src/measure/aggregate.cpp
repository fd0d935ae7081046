// Bandwidth of all cores at once: pairs alone do not predict it.
#include <algorithm>

#include "measure/parts.hpp"
#include "measure/spread.hpp"

namespace lares::measure {
namespace {

using machine::MeasuredAggregate;

/// Which domain a member belongs to, as an index into the domains that take part.
struct Member {
  std::size_t domain = 0;
  std::size_t slot = 0;  ///< its number in that domain
};

std::vector<Member> members_of(const Bench& bench) {
  std::vector<Member> members;
  for (std::size_t d = 0; d < bench.with_cores.size(); ++d) {
    const std::size_t count = bench.cpus(bench.with_cores[d]).size();
    for (std::size_t slot = 0; slot < count; ++slot) members.push_back({d, slot});
  }
  return members;
}

void note(Bench& bench, Crew& crew, const char* pattern, Kernel kernel, const Work& work,
          Bytes footprint, std::vector<MeasuredAggregate>& aggregate) {
  bench.step(std::string("all cores, ") + pattern + ", " + std::string(kernel_name(kernel)));
  aggregate.push_back({pattern, std::string(kernel_name(kernel)),
                       static_cast<std::uint32_t>(crew.size()),
                       spread_of(bandwidth(crew, kernel, work, bench.plan.pace)), footprint});
}

/// Every domain's own memory, one slice per member of it and of any other domain.
class Memories {
 public:
  static Result<Memories> make(const Bench& bench, std::size_t members) {
    Memories all(bench);
    for (const DomainId domain : bench.with_cores) {
      auto memory = Memory::on_node({members * all.part_}, bench.node(domain));
      if (!memory) return memory.error();
      all.memories_.push_back(std::move(memory.value()));
    }
    return all;
  }

  void touch_all(Crew& crew, const std::vector<Member>& members) const {
    crew.run([&](std::size_t i) {  // by its own domain, for those that share a node
      const std::size_t peers = static_cast<std::size_t>(
          std::count_if(members.begin(), members.end(),
                        [&](const Member& m) { return m.domain == members[i].domain; }));
      for (std::size_t slice = members[i].slot; slice < members.size(); slice += peers) {
        touch(slice_of(members[i].domain, slice), {part_});
      }
    });
  }

  /// The first `size` bytes, at most all, of a member's slice.
  [[nodiscard]] Segment segment(Kernel kernel, std::size_t domain, std::size_t member,
                                Bytes size) const {
    return segment_in(kernel, slice_of(domain, member),
                      {std::min<std::uint64_t>(size.count, part_)});
  }
  [[nodiscard]] Bytes part() const { return {part_}; }

 private:
  explicit Memories(const Bench& bench)
      : part_(bench.footprint.count / bench.with_cores.size() / 4096 * 4096) {}

  [[nodiscard]] std::byte* slice_of(std::size_t domain, std::size_t slice) const {
    return memories_[domain].data() + slice * part_;
  }

  std::size_t part_;  // of a member's footprint in each domain
  std::vector<Memory> memories_;
};

/// Own memory only; slices of others' are left alone, so the footprint is a domain's part of it.
Work local_work(const Memories& memories, const std::vector<Member>& members, Kernel kernel,
                Bytes footprint) {
  Work work;
  for (std::size_t i = 0; i < members.size(); ++i) {
    work.push_back({memories.segment(kernel, members[i].domain, i, footprint)});
  }
  return work;
}

/// Every domain's memory in turn; members of a domain begin at different ones.
Work all_to_all_work(const Memories& memories, const std::vector<Member>& members,
                     std::size_t domains, Kernel kernel) {
  Work work(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t turn = 0; turn < domains; ++turn) {
      const std::size_t domain = (members[i].domain + members[i].slot + turn) % domains;
      work[i].push_back(memories.segment(kernel, domain, i, memories.part()));
    }
  }
  return work;
}

Result<bool> measure_interleaved(Bench& bench, Crew& crew, const std::vector<Kernel>& kernels,
                                 std::vector<MeasuredAggregate>& aggregate) {
  std::vector<OsNode> nodes;
  for (const DomainId domain : bench.with_cores) {
    const OsNode node = bench.node(domain);
    if (node.valid() && std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
      nodes.push_back(node);
    }
  }
  auto memory = Memory::interleaved({crew.size() * bench.footprint.count}, nodes);
  if (!memory) return memory.error();
  const auto slice = [&](std::size_t i) {
    return memory.value().data() + i * bench.footprint.count;
  };
  crew.run([&](std::size_t i) { touch(slice(i), bench.footprint); });
  for (const Kernel kernel : kernels) {
    Work work;
    for (std::size_t i = 0; i < crew.size(); ++i) {
      work.push_back({segment_in(kernel, slice(i), bench.footprint)});
    }
    note(bench, crew, "interleaved", kernel, work, bench.footprint, aggregate);
  }
  return true;
}

}  // namespace

Result<bool> measure_aggregate(Bench& bench, std::vector<MeasuredAggregate>& aggregate) {
  const std::vector<Member> members = members_of(bench);
  const std::vector<Kernel>& kernels = bench.plan.kernels;
  Crew crew(bench.all_cpus());
  {
    auto memories = Memories::make(bench, members.size());
    if (!memories) return memories.error();
    memories.value().touch_all(crew, members);
    std::vector<Bytes> footprints = bench.cache_footprints();
    footprints.push_back(memories.value().part());
    for (const Bytes footprint : footprints) {
      for (const Kernel kernel : kernels) {
        note(bench, crew, "local", kernel, local_work(memories.value(), members, kernel, footprint),
             footprint, aggregate);
      }
    }
    for (const Kernel kernel : kernels) {
      note(bench, crew, "all-to-all", kernel,
           all_to_all_work(memories.value(), members, bench.with_cores.size(), kernel),
           bench.footprint, aggregate);
    }
  }
  return measure_interleaved(bench, crew, kernels, aggregate);
}

}  // namespace lares::measure

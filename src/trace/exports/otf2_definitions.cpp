#include "trace/exports/otf2_definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "trace/exports/text.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace {

struct NoteKind {
  Otf2Note note;
  const char* name;
  const char* description;
  OTF2_Type type;
};

constexpr NoteKind note_kinds[] = {
    {Otf2Note::construct, "construct", "the place that made the task", OTF2_TYPE_REGION},
    {Otf2Note::locality, "locality", "how it ran relative to its data", OTF2_TYPE_STRING},
    {Otf2Note::home, "home", "the domain of its data", OTF2_TYPE_UINT16},
    {Otf2Note::located_by, "located by", "what its home is known by", OTF2_TYPE_STRING},
    {Otf2Note::stolen_from, "stolen from", "the domain of the queue that it was stolen from",
     OTF2_TYPE_UINT16},
    {Otf2Note::domain, "domain", "where it ran", OTF2_TYPE_UINT16},
    {Otf2Note::bytes, "bytes", "of the data that it names", OTF2_TYPE_UINT64},
    {Otf2Note::ready_delay, "ready delay [ns]", "from being ready to its begin", OTF2_TYPE_UINT64},
    {Otf2Note::self, "self [ns]", "its own time, without what ran inside of it", OTF2_TYPE_UINT64},
    {Otf2Note::first_iteration, "first iteration", "of a chunk of a loop", OTF2_TYPE_UINT64},
    {Otf2Note::iterations, "iterations", "of a chunk, or of a loop", OTF2_TYPE_UINT64},
    {Otf2Note::idle, "idle [ns]", "of a wait: without what ran meanwhile", OTF2_TYPE_UINT64},
};

OTF2_RegionRole role_of(WaitKind kind) {
  switch (kind) {
    case WaitKind::barrier:
      return OTF2_REGION_ROLE_BARRIER;
    case WaitKind::region_end:
    case WaitKind::loop_end:
      return OTF2_REGION_ROLE_IMPLICIT_BARRIER;
    default:
      return OTF2_REGION_ROLE_TASK_WAIT;
  }
}

constexpr OTF2_SystemTreeNodeRef machine_node = 0;
constexpr OTF2_SystemTreeNodeRef node_of_domain(std::uint32_t domain) { return domain + 1; }

}  // namespace

Otf2Definitions::Otf2Definitions(const Trace& trace, const Otf2Tasks& tasks)
    : trace_(trace), tasks_(tasks) {
  for (int i = 0; i <= static_cast<int>(Locality::unknown); ++i) {
    localities_.push_back(text(to_words(static_cast<Locality>(i))));
  }
  for (std::size_t i = 0; i < runtime::located_kinds; ++i) {
    located_.push_back(text(to_words(static_cast<runtime::Located>(i))));
  }
}

// Regions: the constructs and an unknown one, as tasks and then as chunks; kinds of waits; at last
// the parallel region.
OTF2_RegionRef Otf2Definitions::place(Index construct) const {
  return construct == none ? static_cast<OTF2_RegionRef>(trace_.constructs.size()) : construct;
}
OTF2_RegionRef Otf2Definitions::chunk(Index construct) const {
  return static_cast<OTF2_RegionRef>(trace_.constructs.size()) + 1 + place(construct);
}
OTF2_RegionRef Otf2Definitions::wait(WaitKind kind) const {
  return chunk(none) + 1 + static_cast<OTF2_RegionRef>(kind);
}
OTF2_RegionRef Otf2Definitions::parallel_region() const { return wait(WaitKind::loop_end) + 1; }

OTF2_StringRef Otf2Definitions::word(Locality locality) const {
  return localities_[static_cast<std::size_t>(locality)];
}
OTF2_StringRef Otf2Definitions::word(runtime::Located located) const {
  return located_[static_cast<std::size_t>(located)];
}

/// Defines it when the definitions are being written.
OTF2_StringRef Otf2Definitions::text(std::string_view text) {
  const auto [at, is_new] =
      texts_.try_emplace(clean_text(text), static_cast<OTF2_StringRef>(texts_.size()));
  if (is_new) order_of_texts_.push_back(at->first);
  if (is_new && writer_ != nullptr) {
    note(OTF2_GlobalDefWriter_WriteString(writer_, at->second, at->first.c_str()));
  }
  return at->second;
}

void Otf2Definitions::note(OTF2_ErrorCode status) {
  if (status_ == OTF2_SUCCESS) status_ = status;
}

OTF2_ErrorCode Otf2Definitions::write(OTF2_GlobalDefWriter* writer,
                                      const std::vector<std::uint64_t>& events, Time last) {
  writer_ = writer;
  // From the first to the last tick, both of them included.
  note(OTF2_GlobalDefWriter_WriteClockProperties(
      writer_, 1'000'000'000, 0, std::max(last, trace_.duration) + 1, OTF2_UNDEFINED_TIMESTAMP));
  for (std::size_t i = 0; i < order_of_texts_.size(); ++i) {
    note(OTF2_GlobalDefWriter_WriteString(writer_, static_cast<OTF2_StringRef>(i),
                                          order_of_texts_[i].c_str()));
  }
  note(OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_OPENMP, text("OpenMP"),
                                          OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
  write_attributes();
  write_system_tree();
  write_threads(events);
  write_places();
  write_teams();
  return status_;
}

void Otf2Definitions::write_attributes() {
  for (const NoteKind& kind : note_kinds) {
    const OTF2_StringRef name = text(kind.name);
    const OTF2_StringRef description = text(kind.description);
    note(OTF2_GlobalDefWriter_WriteAttribute(writer_, static_cast<OTF2_AttributeRef>(kind.note),
                                             name, description, kind.type));
  }
}

void Otf2Definitions::write_system_tree() {
  const OTF2_StringRef machine =
      text(trace_.about.machine.empty() ? "machine" : trace_.about.machine);
  note(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, machine_node, machine, text("machine"),
                                                OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  for (const OTF2_SystemTreeDomain domain :
       {OTF2_SYSTEM_TREE_DOMAIN_MACHINE, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY}) {
    note(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer_, machine_node, domain));
  }
  for (std::uint32_t d = 0; d < trace_.domains; ++d) {
    const OTF2_StringRef name = text(fmt::format("domain {}", d));
    note(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, node_of_domain(d), name, text("domain"),
                                                  machine_node));
  }
}

/// A location group has one parent, so the threads of a process are as many groups as it has
/// domains.
void Otf2Definitions::write_threads(const std::vector<std::uint64_t>& events) {
  std::map<std::pair<std::uint32_t, std::uint16_t>, OTF2_LocationGroupRef> groups;
  for (Index t = 0; t < trace_.threads.size(); ++t) {
    const Thread& thread = trace_.threads[t];
    const auto [group, is_new] = groups.try_emplace(
        {thread.process, thread.domain}, static_cast<OTF2_LocationGroupRef>(groups.size()));
    if (is_new) {
      const bool is_known = thread.domain < trace_.domains;
      const OTF2_StringRef name =
          text(is_known ? fmt::format("process {}, domain {}", thread.process, thread.domain)
                        : fmt::format("process {}, no domain", thread.process));
      note(OTF2_GlobalDefWriter_WriteLocationGroup(
          writer_, group->second, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
          is_known ? node_of_domain(thread.domain) : machine_node, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    const OTF2_StringRef name = text(fmt::format("thread {}", thread.number));
    note(OTF2_GlobalDefWriter_WriteLocation(writer_, t, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                            events[t], group->second));
  }
}

void Otf2Definitions::write_places() {
  const Construct unknown{std::string(construct_name(trace_, none)), "", 0, false};
  for (const bool is_chunk : {false, true}) {
    for (Index c = 0; c < trace_.constructs.size(); ++c) {
      write_place(is_chunk ? chunk(c) : place(c), trace_.constructs[c], is_chunk);
    }
    write_place(is_chunk ? chunk(none) : place(none), unknown, is_chunk);
  }
  for (int kind = 0; kind <= static_cast<int>(WaitKind::loop_end); ++kind) {
    const auto as_kind = static_cast<WaitKind>(kind);
    write_plain_region(wait(as_kind), to_words(as_kind), role_of(as_kind));
  }
  write_plain_region(parallel_region(), "parallel region", OTF2_REGION_ROLE_PARALLEL);
}

void Otf2Definitions::write_place(OTF2_RegionRef self, const Construct& construct, bool is_chunk) {
  const SourcePlace source = source_place(construct);
  const OTF2_StringRef name = text(is_chunk ? source.name + " (chunk)" : source.name);
  const OTF2_StringRef description =
      text(construct.file.empty() ? "" : fmt::format("{}+{:#x}", construct.file, construct.offset));
  const OTF2_StringRef file = source.file.empty() ? OTF2_UNDEFINED_STRING : text(source.file);
  OTF2_RegionRole role = construct.is_loop ? OTF2_REGION_ROLE_LOOP : OTF2_REGION_ROLE_TASK;
  if (is_chunk) role = OTF2_REGION_ROLE_CODE;
  note(OTF2_GlobalDefWriter_WriteRegion(writer_, self, name, name, description, role,
                                        OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, file,
                                        source.line, source.line));
}

void Otf2Definitions::write_plain_region(OTF2_RegionRef self, const char* name,
                                         OTF2_RegionRole role) {
  const OTF2_StringRef word = text(name);
  note(OTF2_GlobalDefWriter_WriteRegion(writer_, self, word, word, text(""), role,
                                        OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE,
                                        OTF2_UNDEFINED_STRING, 0, 0));
}

/// Members of a team's group are indexes of the one group that lists all locations, whose indexes
/// are the locations' numbers.
void Otf2Definitions::write_teams() {
  if (trace_.threads.empty()) return;
  std::vector<std::uint64_t> members(trace_.threads.size());
  for (std::size_t t = 0; t < members.size(); ++t) members[t] = t;
  OTF2_GroupRef group = 0;
  note(OTF2_GlobalDefWriter_WriteGroup(
      writer_, group, text("threads"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
      OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()), members.data()));
  for (Index i = 0; i < tasks_.teams().size(); ++i) {
    const Otf2Team& team = tasks_.teams()[i];
    members.assign(team.threads.begin(), team.threads.end());
    const OTF2_StringRef name = text(fmt::format("team of {}", members.size()));
    note(OTF2_GlobalDefWriter_WriteGroup(
        writer_, ++group, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
        OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()), members.data()));
    note(OTF2_GlobalDefWriter_WriteComm(writer_, i, name, group,
                                        team.outer == none ? OTF2_UNDEFINED_COMM : team.outer,
                                        OTF2_COMM_FLAG_NONE));
  }
}

}  // namespace lares::trace

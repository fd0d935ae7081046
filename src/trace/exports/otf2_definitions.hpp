// What the events of an OTF2 archive refer to: names, places, threads, teams, kinds of notes.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/exports/otf2_tasks.hpp"
#include "trace/trace.hpp"

namespace lares::trace {

/// What the records carry besides what OTF2 has fields for (OTF2_AttributeRef).
enum class Otf2Note : std::uint32_t {
  construct,
  locality,
  home,
  located_by,
  stolen_from,
  domain,
  bytes,
  ready_delay,
  self,
  first_iteration,
  iterations,
  idle
};

class Otf2Definitions {
 public:
  Otf2Definitions(const Trace& trace, const Otf2Tasks& tasks);

  /// A place as the region (in OTF2's sense) of its tasks or of its loop, or of a loop's chunks.
  [[nodiscard]] OTF2_RegionRef place(Index construct) const;
  [[nodiscard]] OTF2_RegionRef chunk(Index construct) const;
  [[nodiscard]] OTF2_RegionRef wait(WaitKind kind) const;
  [[nodiscard]] OTF2_RegionRef parallel_region() const;
  [[nodiscard]] OTF2_StringRef word(Locality locality) const;
  [[nodiscard]] OTF2_StringRef word(runtime::Located located) const;

  /// Writes all of them. `events` has the number of events of each thread, `last` the time of the
  /// last one. The first error, or OTF2_SUCCESS.
  OTF2_ErrorCode write(OTF2_GlobalDefWriter* writer, const std::vector<std::uint64_t>& events,
                       Time last);

 private:
  OTF2_StringRef text(std::string_view text);
  void note(OTF2_ErrorCode status);
  void write_attributes();
  void write_system_tree();
  void write_threads(const std::vector<std::uint64_t>& events);
  void write_places();
  void write_place(OTF2_RegionRef self, const Construct& construct, bool is_chunk);
  void write_plain_region(OTF2_RegionRef self, const char* name, OTF2_RegionRole role);
  void write_teams();

  const Trace& trace_;
  const Otf2Tasks& tasks_;
  OTF2_GlobalDefWriter* writer_ = nullptr;
  OTF2_ErrorCode status_ = OTF2_SUCCESS;
  std::unordered_map<std::string, OTF2_StringRef> texts_;
  std::vector<std::string> order_of_texts_;
  std::vector<OTF2_StringRef> localities_;
  std::vector<OTF2_StringRef> located_;
};

}  // namespace lares::trace

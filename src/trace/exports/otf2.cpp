// An archive of OTF2 3.0, the Open Trace Format of Score-P
// (https://perftools.pages.jsc.fz-juelich.de/cicd/otf2/): a location for each thread, and tasks as
// Score-P records those of OpenMP: created by a thread of a team, switched to, completed.
#include <otf2/otf2.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "trace/exports/formats.hpp"
#include "trace/exports/lanes.hpp"
#include "trace/exports/otf2_definitions.hpp"
#include "trace/exports/otf2_tasks.hpp"
#include "trace/exports/text.hpp"

namespace lares::trace {
namespace {

struct DeleteNotes {
  void operator()(OTF2_AttributeList* list) const noexcept { OTF2_AttributeList_Delete(list); }
};

/// The events of one thread. A stack of what is open tells which task a thread comes back to.
class Otf2Thread {
 public:
  Otf2Thread(const Trace& trace, const Otf2Tasks& tasks, const Otf2Definitions& definitions,
             Index thread, OTF2_EvtWriter* writer)
      : trace_(trace),
        tasks_(tasks),
        definitions_(definitions),
        thread_(thread),
        writer_(writer),
        notes_(OTF2_AttributeList_New()) {}

  /// The first error, or OTF2_SUCCESS.
  OTF2_ErrorCode write(const std::vector<Edge>& edges) {
    begin_without_region(edges);
    for (const Edge& edge : edges) {
      put_creations_until(edge.at);
      at_ = std::max(at_, edge.at);
      if (edge.opens) {
        open(edge.span);
      } else {
        close(edge.span);
      }
    }
    put_creations_until(~Time{0});
    if (has_process_team_) {
      check(OTF2_EvtWriter_ThreadTeamEnd(writer_, nullptr, at_, tasks_.team_of(none, thread_)));
    }
    return status_;
  }
  [[nodiscard]] Time last() const noexcept { return at_; }

 private:
  void check(OTF2_ErrorCode status) {
    if (status_ == OTF2_SUCCESS) status_ = status;
  }

  /// Tasks outside of any region belong to a team, too: all threads of the process.
  void begin_without_region(const std::vector<Edge>& edges) {
    has_process_team_ = std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
      return edge.span.kind == SpanKind::grain && trace_.grains[edge.span.index].region == none;
    });
    if (!has_process_team_) return;
    at_ = edges.front().at;
    const std::vector<Index>& created = tasks_.created_on(thread_);
    if (!created.empty()) at_ = std::min(at_, trace_.grains[created.front()].created);
    check(OTF2_EvtWriter_ThreadTeamBegin(writer_, nullptr, at_, tasks_.team_of(none, thread_)));
  }

  // ---- creation --------------------------------------------------------------------------------

  /// What was created before `limit`, and then by the task that runs until then: another one that
  /// begins at that time comes after it.
  void put_creations_until(Time limit) {
    const std::vector<Index>& created = tasks_.created_on(thread_);
    for (; next_created_ < created.size(); ++next_created_) {
      const Grain& grain = trace_.grains[created[next_created_]];
      const bool is_now =
          grain.created < limit || (grain.created == limit && grain.creator == current_grain());
      if (!is_now) return;
      put_creation(created[next_created_], grain);
    }
  }

  void put_creation(Index number, const Grain& grain) {
    at_ = std::max(at_, grain.created);
    add_place(grain);
    add_domain(Otf2Note::home, grain.home);
    add_number(Otf2Note::bytes, grain.bytes);
    const Otf2Task task = tasks_.task_of(number);
    check(OTF2_EvtWriter_ThreadTaskCreate(writer_, notes_.get(), at_, task.team, task.rank,
                                          task.number));
  }

  // ---- the stack -------------------------------------------------------------------------------

  [[nodiscard]] bool is_task(const Span& span) const {
    return span.kind == SpanKind::grain && !trace_.grains[span.index].has(grain_flag::is_chunk);
  }

  [[nodiscard]] Index current_grain() const {
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (open_[i].kind == SpanKind::grain) return open_[i].index;
      if (open_[i].kind == SpanKind::team) return none;
    }
    return none;
  }

  [[nodiscard]] Otf2Task current_task() const {
    for (std::size_t i = open_.size(); i-- > 0;) {
      if (is_task(open_[i])) return tasks_.task_of(open_[i].index);
      if (open_[i].kind == SpanKind::team) {
        return tasks_.implicit_task(tasks_.team_of(open_[i].index, thread_), thread_);
      }
    }
    return tasks_.implicit_task(tasks_.team_of(none, thread_), thread_);
  }

  void open(const Span& span) {
    open_.push_back(span);
    switch (span.kind) {
      case SpanKind::team:
        return open_team(span.index);
      case SpanKind::loop:
        return open_loop(trace_.loops[span.index]);
      case SpanKind::wait:
        return open_wait(trace_.waits[span.index]);
      case SpanKind::grain:
        return is_task(span) ? open_task(span.index) : open_chunk(trace_.grains[span.index]);
    }
  }

  void close(const Span& span) {
    open_.pop_back();
    switch (span.kind) {
      case SpanKind::team:
        return close_team(span.index);
      case SpanKind::loop:
        return leave(definitions_.place(trace_.loops[span.index].construct));
      case SpanKind::wait:
        return leave(definitions_.wait(trace_.waits[span.index].kind));
      case SpanKind::grain:
        return is_task(span) ? close_task(span.index)
                             : leave(definitions_.chunk(trace_.grains[span.index].construct));
    }
  }

  void enter(OTF2_RegionRef region) {
    check(OTF2_EvtWriter_Enter(writer_, notes_.get(), at_, region));
  }
  void leave(OTF2_RegionRef region) { check(OTF2_EvtWriter_Leave(writer_, nullptr, at_, region)); }

  // ---- teams -----------------------------------------------------------------------------------

  void open_team(Index region) {
    if (trace_.regions[region].master == thread_) {
      enter(definitions_.parallel_region());
      check(OTF2_EvtWriter_ThreadFork(writer_, nullptr, at_, OTF2_PARADIGM_OPENMP,
                                      trace_.regions[region].team));
    }
    check(OTF2_EvtWriter_ThreadTeamBegin(writer_, nullptr, at_, tasks_.team_of(region, thread_)));
  }

  void close_team(Index region) {
    check(OTF2_EvtWriter_ThreadTeamEnd(writer_, nullptr, at_, tasks_.team_of(region, thread_)));
    if (trace_.regions[region].master != thread_) return;
    check(OTF2_EvtWriter_ThreadJoin(writer_, nullptr, at_, OTF2_PARADIGM_OPENMP));
    leave(definitions_.parallel_region());
  }

  // ---- waits, loops and chunks: they stay on their thread ---------------------------------------

  void open_wait(const Wait& wait) {
    add_number(Otf2Note::idle, wait.idle);
    enter(definitions_.wait(wait.kind));
  }

  void open_loop(const LoopVisit& loop) {
    add_number(Otf2Note::iterations, loop.iterations);
    enter(definitions_.place(loop.construct));
  }

  void open_chunk(const Grain& grain) {
    add_notes(grain);
    add_number(Otf2Note::first_iteration, grain.first);
    add_number(Otf2Note::iterations, grain.iterations);
    enter(definitions_.chunk(grain.construct));
  }

  // ---- tasks -----------------------------------------------------------------------------------

  void switch_to(const Otf2Task& task) {
    check(OTF2_EvtWriter_ThreadTaskSwitch(writer_, notes_.get(), at_, task.team, task.rank,
                                          task.number));
  }

  /// A task that may go on elsewhere has no Enter and Leave: they would not pair up on a thread.
  void open_task(Index number) {
    const Grain& grain = trace_.grains[number];
    add_notes(grain);
    switch_to(tasks_.task_of(number));
    if (tasks_.is_whole(number)) enter(definitions_.place(grain.construct));
  }

  void close_task(Index number) {
    const Grain& grain = trace_.grains[number];
    if (tasks_.is_whole(number)) leave(definitions_.place(grain.construct));
    if (tasks_.is_last_part(number) && !grain.has(grain_flag::unfinished)) {
      const Otf2Task task = tasks_.task_of(number);
      check(OTF2_EvtWriter_ThreadTaskComplete(writer_, nullptr, at_, task.team, task.rank,
                                              task.number));
    }
    switch_to(current_task());
  }

  // ---- notes: a record takes all that were added since the last one
  // ------------------------------

  void add_notes(const Grain& grain) {
    add_place(grain);
    add_word(Otf2Note::locality, definitions_.word(grain.locality));
    add_word(Otf2Note::located_by, definitions_.word(grain.located));
    add_domain(Otf2Note::home, grain.home);
    add_domain(Otf2Note::stolen_from, grain.stolen_from);
    add_domain(Otf2Note::domain, grain.domain);
    add_number(Otf2Note::bytes, grain.bytes);
    add_number(Otf2Note::self, grain.self);
    add_number(Otf2Note::ready_delay, grain.begin < grain.ready ? 0 : grain.begin - grain.ready);
  }

  void add_place(const Grain& grain) {
    check(OTF2_AttributeList_AddRegionRef(notes_.get(),
                                          static_cast<OTF2_AttributeRef>(Otf2Note::construct),
                                          definitions_.place(grain.construct)));
  }
  void add_number(Otf2Note note, std::uint64_t value) {
    check(OTF2_AttributeList_AddUint64(notes_.get(), static_cast<OTF2_AttributeRef>(note), value));
  }
  void add_word(Otf2Note note, OTF2_StringRef word) {
    check(
        OTF2_AttributeList_AddStringRef(notes_.get(), static_cast<OTF2_AttributeRef>(note), word));
  }
  void add_domain(Otf2Note note, std::uint16_t domain) {
    if (domain == no_domain) return;
    check(OTF2_AttributeList_AddUint16(notes_.get(), static_cast<OTF2_AttributeRef>(note), domain));
  }

  const Trace& trace_;
  const Otf2Tasks& tasks_;
  const Otf2Definitions& definitions_;
  Index thread_;
  OTF2_EvtWriter* writer_;
  std::unique_ptr<OTF2_AttributeList, DeleteNotes> notes_;
  std::vector<Span> open_;
  std::size_t next_created_ = 0;
  Time at_ = 0;  ///< of the last record: a location's times never go back
  bool has_process_team_ = false;
  OTF2_ErrorCode status_ = OTF2_SUCCESS;
};

OTF2_FlushType flush_always(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                            void* /*caller*/, bool /*final*/) {
  return OTF2_FLUSH;
}
// No callback after it: its record of a flush would be of the time of the export.
constexpr OTF2_FlushCallbacks flush_callbacks{flush_always, nullptr};

/// The library prints its errors by itself; while this lives, it does not.
class Otf2Silence {
 public:
  Otf2Silence() : before_(OTF2_Error_RegisterCallback(be_silent, nullptr)) {}
  Otf2Silence(const Otf2Silence&) = delete;
  Otf2Silence& operator=(const Otf2Silence&) = delete;
  ~Otf2Silence() { OTF2_Error_RegisterCallback(before_, nullptr); }

 private:
  static OTF2_ErrorCode be_silent(void* /*data*/, const char* /*file*/, uint64_t /*line*/,
                                  const char* /*function*/, OTF2_ErrorCode code,
                                  const char* /*format*/, va_list /*arguments*/) {
    return code;
  }
  OTF2_ErrorCallback before_;
};

class Otf2Archive {
 public:
  explicit Otf2Archive(const std::string& path)
      : archive_(OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, 1U << 20U,
                                   4U << 20U, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {}
  Otf2Archive(const Otf2Archive&) = delete;
  Otf2Archive& operator=(const Otf2Archive&) = delete;
  ~Otf2Archive() { close(); }

  [[nodiscard]] bool is_open() const noexcept { return archive_ != nullptr; }

  OTF2_ErrorCode write(const Trace& trace) {
    const Otf2Tasks tasks(trace);
    Otf2Definitions definitions(trace, tasks);
    check(OTF2_Archive_SetFlushCallbacks(archive_, &flush_callbacks, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, ("lares " + trace.about.lares_version).c_str()));
    check(OTF2_Archive_SetDescription(archive_, clean_text(command_line(trace.about)).c_str()));
    if (!trace.about.machine.empty()) {
      check(OTF2_Archive_SetMachineName(archive_, clean_text(trace.about.machine).c_str()));
    }
    write_events(trace, tasks, definitions);
    write_local_definitions(trace);
    OTF2_GlobalDefWriter* writer =
        status_ == OTF2_SUCCESS ? OTF2_Archive_GetGlobalDefWriter(archive_) : nullptr;
    if (writer != nullptr) {
      check(definitions.write(writer, events_, last_));
      check(OTF2_Archive_CloseGlobalDefWriter(archive_, writer));
    }
    if (writer == nullptr) check(OTF2_ERROR_FILE_CAN_NOT_OPEN);
    close();
    return status_;
  }

 private:
  void check(OTF2_ErrorCode status) {
    if (status_ == OTF2_SUCCESS) status_ = status;
  }

  void close() {
    if (archive_ != nullptr) check(OTF2_Archive_Close(archive_));
    archive_ = nullptr;
  }

  /// One location after the other: each has a buffer and an open file.
  void write_events(const Trace& trace, const Otf2Tasks& tasks,
                    const Otf2Definitions& definitions) {
    events_.assign(trace.threads.size(), 0);
    const Lanes lanes(trace, bit_of(SpanKind::team) | bit_of(SpanKind::loop) |
                                 bit_of(SpanKind::wait) | bit_of(SpanKind::grain));
    check(OTF2_Archive_OpenEvtFiles(archive_));
    for (Index t = 0; t < trace.threads.size() && status_ == OTF2_SUCCESS; ++t) {
      OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, t);
      if (writer == nullptr) return check(OTF2_ERROR_FILE_CAN_NOT_OPEN);
      Otf2Thread thread(trace, tasks, definitions, t, writer);
      check(thread.write(lanes.edges_of(t)));
      last_ = std::max(last_, thread.last());
      check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events_[t]));
      check(OTF2_Archive_CloseEvtWriter(archive_, writer));
    }
    check(OTF2_Archive_CloseEvtFiles(archive_));
  }

  /// Empty, since all definitions are global; but readers look for the files.
  void write_local_definitions(const Trace& trace) {
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (Index t = 0; t < trace.threads.size() && status_ == OTF2_SUCCESS; ++t) {
      OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_, t);
      if (writer == nullptr) return check(OTF2_ERROR_FILE_CAN_NOT_OPEN);
      check(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive_));
  }

  OTF2_Archive* archive_;
  OTF2_ErrorCode status_ = OTF2_SUCCESS;
  std::vector<std::uint64_t> events_;  ///< how many, by thread
  Time last_ = 0;
};

}  // namespace

Failure otf2_missing() { return ""; }

Failure write_otf2(const Trace& trace, const std::string& path) {
  std::error_code failure;
  // The library would make the folders above, too, and says less about what it cannot make.
  if (!std::filesystem::create_directory(path, failure)) {
    return failure ? failure.message() : "it exists";
  }
  const Otf2Silence silence;
  Otf2Archive archive(path);
  if (!archive.is_open()) return "the OTF2 library cannot make an archive there";
  const OTF2_ErrorCode status = archive.write(trace);
  return status == OTF2_SUCCESS ? "" : OTF2_Error_GetDescription(status);
}

}  // namespace lares::trace

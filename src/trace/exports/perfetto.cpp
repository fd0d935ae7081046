// Perfetto's protobuf, as "Writing TrackEvent protos synthetically" describes it
// (https://perfetto.dev/docs/reference/synthetic-track-event): a process has a track for each of
// its domains, which has one for each of its threads, whose slices are grains, waits, loops and
// regions. Flows go from a grain to those that it created and that its end released.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "trace/exports/formats.hpp"
#include "trace/exports/lanes.hpp"
#include "trace/exports/perfetto_fields.hpp"
#include "trace/exports/protobuf.hpp"
#include "trace/exports/text.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace perfetto {
namespace {

constexpr std::array<const char*, 5> category_words = {"task", "chunk", "wait", "loop", "region"};
enum class Category : std::uint8_t { task, chunk, wait, loop, region };

constexpr std::array<const char*, 20> note_words = {
    "locality",   "home",       "located by",     "stolen from", "domain",
    "bytes",      "construct",  "ready delay ns", "self ns",     "create cost ns",
    "depth",      "creator",    "released by",    "part of",     "first iteration",
    "iterations", "unfinished", "undeferred",     "idle ns",     "team"};
enum class Note : std::uint8_t {
  locality,
  home,
  located_by,
  stolen_from,
  domain,
  bytes,
  construct,
  ready_delay,
  self,
  create_cost,
  depth,
  creator,
  released_by,
  part_of,
  first_iteration,
  iterations,
  unfinished,
  undeferred,
  idle,
  team
};
static_assert(static_cast<std::size_t>(Note::team) + 1 == note_words.size());

/// Strings that packets name by their number, which begins with 1.
class Words {
 public:
  std::uint64_t add(std::string_view text) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(text), numbers_.size() + 1);
    if (is_new) order_.push_back(&at->first);
    return at->second;
  }
  void put(Field field, ProtoMessage& data) const {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      ProtoMessage entry;
      entry.add_number(interned::number, i + 1);
      entry.add_text(interned::text, *order_[i]);
      data.add_message(field, entry);
    }
  }

 private:
  std::map<std::string, std::uint64_t> numbers_;
  std::vector<const std::string*> order_;
};

// A track's number: a kind and what it is the track of, so that tracks need no list.
std::uint64_t uuid_of(std::uint64_t kind, std::uint64_t process, std::uint64_t part) {
  return kind << 60U | (process & 0xFFFFFFF) << 32U | (part & 0xFFFFFFFF);
}
std::uint64_t process_track(const Thread& thread) { return uuid_of(1, thread.process, 0); }
std::uint64_t domain_track(const Thread& thread) {
  return uuid_of(2, thread.process, thread.domain);
}
std::uint64_t thread_track(Index thread) { return uuid_of(3, 0, thread); }
std::uint64_t counter_track(const Thread& thread) { return uuid_of(4, thread.process, 0); }

// Flows: two for each grain, by its number.
std::uint64_t creation_of(Index grain) { return std::uint64_t{grain} * 2 + 1; }
std::uint64_t release_of(Index grain) { return std::uint64_t{grain} * 2 + 2; }

class Writer {
 public:
  Writer(const Trace& trace, Sink& sink)
      : trace_(trace),
        sink_(sink),
        lanes_(trace, bit_of(SpanKind::team) | bit_of(SpanKind::loop) | bit_of(SpanKind::wait) |
                          bit_of(SpanKind::grain)) {}

  void put_all() {
    put_words();
    put_tracks();
    put_run();
    find_flows();
    for (Index t = 0; t < trace_.threads.size(); ++t) put_thread(t);
    put_parallelism();
  }

 private:
  // ---- packets ---------------------------------------------------------------------------------

  void put_packet(std::uint64_t flags = packet::needs_state) {
    packet_.add_number(packet::sequence_id, 1);
    packet_.add_number(packet::sequence_flags, flags);
    ProtoMessage file;
    file.add_message(trace_file::packet, packet_);
    sink_.put(file.bytes());
    packet_.clear();
  }

  void put_event(Time at) {
    packet_.add_number(packet::timestamp, at);
    packet_.add_message(packet::track_event, event_);
    event_.clear();
    put_packet();
  }

  void put_track(const ProtoMessage& descriptor) {
    packet_.add_message(packet::track_descriptor, descriptor);
    put_packet();
  }

  // ---- once ------------------------------------------------------------------------------------

  void put_words() {
    for (const Construct& construct : trace_.constructs) {
      construct_words_.push_back(names_.add(clean_text(construct.place)));
      construct_texts_.push_back(texts_.add(clean_text(construct.place)));
    }
    construct_words_.push_back(names_.add(construct_name(trace_, none)));
    construct_texts_.push_back(texts_.add(construct_name(trace_, none)));
    for (int kind = 0; kind <= static_cast<int>(WaitKind::loop_end); ++kind) {
      names_.add(to_words(static_cast<WaitKind>(kind)));
    }
    names_.add(region_word);
    for (int i = 0; i <= static_cast<int>(Locality::unknown); ++i) {
      texts_.add(to_words(static_cast<Locality>(i)));
    }
    for (std::size_t i = 0; i < runtime::located_kinds; ++i) {
      texts_.add(to_words(static_cast<runtime::Located>(i)));
    }
    put_interned();
  }

  void put_interned() {
    Words categories;
    for (const char* word : category_words) categories.add(word);
    Words notes;
    for (const char* word : note_words) notes.add(word);
    ProtoMessage data;
    categories.put(interned::categories, data);
    names_.put(interned::event_names, data);
    notes.put(interned::annotation_names, data);
    texts_.put(interned::texts, data);
    packet_.add_message(packet::interned_data, data);
    packet_.add_number(packet::first_on_sequence, 1);
    put_packet(packet::state_cleared | packet::needs_state);
  }

  void put_tracks() {
    std::set<std::uint64_t> known;
    for (Index t = 0; t < trace_.threads.size(); ++t) {
      const Thread& thread = trace_.threads[t];
      if (known.insert(process_track(thread)).second) put_process(thread);
      if (known.insert(domain_track(thread)).second) put_domain(thread);
      std::string name = fmt::format("thread {}", thread.number);
      if (thread.core != no_domain) name += fmt::format(", core {}", thread.core);
      ProtoMessage track = child_track(thread_track(t), domain_track(thread), name, thread.number);
      put_track(track);
    }
  }

  static ProtoMessage child_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name,
                                  std::uint32_t rank) {
    ProtoMessage track;
    track.add_number(track::uuid, uuid);
    track.add_number(track::parent, parent);
    track.add_text(track::name, name);
    track.add_number(track::child_order, track::by_rank);
    track.add_number(track::rank, rank);
    track.add_number(track::merging, track::never_merged);
    return track;
  }

  void put_process(const Thread& thread) {
    ProtoMessage process;
    process.add_number(process::pid, thread.process);
    for (const std::string& word : trace_.about.command) {
      process.add_text(process::command, clean_text(word));
    }
    process.add_text(process::name, clean_text(command_line(trace_.about)));
    ProtoMessage track;
    track.add_number(track::uuid, process_track(thread));
    track.add_message(track::process, process);
    track.add_number(track::child_order, track::by_rank);
    put_track(track);
    ProtoMessage counter;
    counter.add_text(counter::unit_name, "threads");
    ProtoMessage parallelism =
        child_track(counter_track(thread), process_track(thread), "threads that run a grain", 0);
    parallelism.add_message(track::counter, counter);
    put_track(parallelism);
  }

  void put_domain(const Thread& thread) {
    const bool known = thread.domain != no_domain;
    put_track(child_track(domain_track(thread), process_track(thread),
                          known ? fmt::format("domain {}", thread.domain) : "no domain",
                          thread.domain + 1U));
  }

  /// What is known of the run, as notes of an instant at its begin.
  void put_run() {
    if (trace_.threads.empty()) return;
    const About& about = trace_.about;
    event_.add_number(event::type, event::instant);
    event_.add_number(event::track, process_track(trace_.threads.front()));
    event_.add_text(event::plain_name, "run");
    add_fact("policy", about.policy);
    add_fact("loops", about.loops);
    add_fact("placement", about.placement);
    add_fact("binding", about.binding);
    add_fact("machine", about.machine);
    add_fact("OpenMP runtime", about.openmp);
    add_fact("Lares", about.lares_version);
    add_fact("started", about.started);
    for (const auto& [name, value] : about.environment) add_fact(name, value);
    for (const std::string& note : trace_.notes) add_fact("note", note);
    put_event(0);
  }

  void add_fact(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    ProtoMessage fact;
    fact.add_text(annotation::plain_name, clean_text(name));
    fact.add_text(annotation::text, clean_text(value));
    event_.add_message(event::annotation, fact);
  }

  /// For each grain, those that it created or released: grains are in no order of time.
  void find_flows() {
    flows_from_.assign(trace_.grains.size() + 1, 0);
    for (const Grain& grain : trace_.grains) {
      if (grain.creator != none) ++flows_from_[grain.creator];
      if (grain.released_by != none) ++flows_from_[grain.released_by];
    }
    std::uint32_t sum = 0;
    for (std::uint32_t& count : flows_from_) sum += std::exchange(count, sum);
    flows_.resize(sum);
    std::vector<std::uint32_t> next = flows_from_;
    for (Index i = 0; i < trace_.grains.size(); ++i) {
      const Grain& grain = trace_.grains[i];
      if (grain.creator != none) flows_[next[grain.creator]++] = creation_of(i);
      if (grain.released_by != none) flows_[next[grain.released_by]++] = release_of(i);
    }
  }

  // ---- slices ----------------------------------------------------------------------------------

  void put_thread(Index thread) {
    for (const Edge& edge : lanes_.edges_of(thread)) {
      event_.add_number(event::type, edge.opens ? event::slice_begin : event::slice_end);
      event_.add_number(event::track, thread_track(thread));
      if (edge.opens) describe(edge.span);
      put_event(edge.at);
    }
  }

  void describe(const Span& span) {
    switch (span.kind) {
      case SpanKind::team:
        return describe_region(trace_.regions[span.index]);
      case SpanKind::loop:
        return describe_loop(trace_.loops[span.index]);
      case SpanKind::wait:
        return describe_wait(trace_.waits[span.index]);
      case SpanKind::grain:
        return describe_grain(span.index);
    }
  }

  void add_heading(Category category, std::uint64_t name) {
    event_.add_number(event::category, static_cast<std::uint64_t>(category) + 1);
    event_.add_number(event::name, name);
  }

  void describe_region(const Region& region) {
    add_heading(Category::region, names_.add(region_word));
    add_note(Note::team, region.team);
  }

  void describe_loop(const LoopVisit& loop) {
    add_heading(Category::loop, of_construct(construct_words_, loop.construct));
    add_note(Note::iterations, loop.iterations);
  }

  void describe_wait(const Wait& wait) {
    add_heading(Category::wait, names_.add(to_words(wait.kind)));
    add_note(Note::idle, wait.idle);
  }

  void describe_grain(Index number) {
    const Grain& grain = trace_.grains[number];
    const bool is_chunk = grain.has(grain_flag::is_chunk);
    add_heading(is_chunk ? Category::chunk : Category::task,
                of_construct(construct_words_, grain.construct));
    add_flows(number, grain);
    add_word(Note::locality, texts_.add(to_words(grain.locality)));
    add_domain(Note::home, grain.home);
    add_word(Note::located_by, texts_.add(to_words(grain.located)));
    add_domain(Note::stolen_from, grain.stolen_from);
    add_domain(Note::domain, grain.domain);
    add_note(Note::bytes, grain.bytes);
    add_word(Note::construct, of_construct(construct_texts_, grain.construct));
    add_note(Note::ready_delay, grain.begin < grain.ready ? 0 : grain.begin - grain.ready);
    add_note(Note::self, grain.self);
    add_note(Note::create_cost, grain.create_cost);
    add_note(Note::depth, grain.depth);
    if (grain.creator != none) add_note(Note::creator, grain.creator);
    if (grain.released_by != none) add_note(Note::released_by, grain.released_by);
    if (grain.part_of != none) add_note(Note::part_of, grain.part_of);
    if (is_chunk) add_note(Note::first_iteration, grain.first);
    if (is_chunk) add_note(Note::iterations, grain.iterations);
    if (grain.has(grain_flag::unfinished)) add_truth(Note::unfinished);
    if (grain.has(grain_flag::undeferred)) add_truth(Note::undeferred);
  }

  void add_flows(Index number, const Grain& grain) {
    for (std::uint32_t i = flows_from_[number]; i < flows_from_[number + 1]; ++i) {
      event_.add_fixed64(event::flow, flows_[i]);
    }
    if (grain.creator != none) event_.add_fixed64(event::end_of_flow, creation_of(number));
    if (grain.released_by != none) event_.add_fixed64(event::end_of_flow, release_of(number));
  }

  std::uint64_t of_construct(const std::vector<std::uint64_t>& words, Index construct) const {
    return construct == none ? words.back() : words[construct];
  }

  void add_value(Note note, Field field, std::uint64_t value) {
    note_.clear();
    note_.add_number(annotation::name, static_cast<std::uint64_t>(note) + 1);
    note_.add_number(field, value);
    event_.add_message(event::annotation, note_);
  }
  void add_note(Note note, std::uint64_t value) { add_value(note, annotation::number, value); }
  void add_truth(Note note) { add_value(note, annotation::truth, 1); }
  void add_word(Note note, std::uint64_t word) { add_value(note, annotation::interned_text, word); }
  void add_domain(Note note, std::uint16_t domain) {
    if (domain != no_domain) add_note(note, domain);
  }

  // ---- the counter -----------------------------------------------------------------------------

  /// How many threads of each process run a grain: a value whenever that changes.
  void put_parallelism() {
    struct Step {
      std::uint64_t track;
      Time at;
      int change;
    };
    std::vector<Step> steps;
    for (Index t = 0; t < trace_.threads.size(); ++t) {
      const std::uint64_t track = counter_track(trace_.threads[t]);
      int depth = 0;
      for (const Edge& edge : lanes_.edges_of(t)) {
        if (edge.span.kind != SpanKind::grain) continue;
        if (edge.opens && depth++ == 0) steps.push_back({track, edge.at, 1});
        if (!edge.opens && --depth == 0) steps.push_back({track, edge.at, -1});
      }
    }
    std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
      return a.track != b.track ? a.track < b.track : a.at < b.at;
    });
    int running = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      running += steps[i].change;
      const bool goes_on = i + 1 < steps.size() && steps[i + 1].track == steps[i].track &&
                           steps[i + 1].at == steps[i].at;
      if (!goes_on) put_count(steps[i].track, steps[i].at, running);
    }
  }

  void put_count(std::uint64_t track, Time at, int running) {
    event_.add_number(event::type, event::counter);
    event_.add_number(event::track, track);
    event_.add_number(event::counter_value, static_cast<std::uint64_t>(running));
    put_event(at);
  }

  static constexpr const char* region_word = "parallel region";

  const Trace& trace_;
  Sink& sink_;
  Lanes lanes_;
  ProtoMessage packet_;
  ProtoMessage event_;
  ProtoMessage note_;
  Words names_;
  Words texts_;
  std::vector<std::uint64_t> construct_words_;  ///< by construct, the last one of unknown ones
  std::vector<std::uint64_t> construct_texts_;  ///< the same
  std::vector<std::uint32_t> flows_from_;       ///< by grain: where its part of flows_ begins
  std::vector<std::uint64_t> flows_;
};

}  // namespace
}  // namespace perfetto

void put_perfetto(const Trace& trace, Sink& sink) { perfetto::Writer(trace, sink).put_all(); }

}  // namespace lares::trace

// A database of SQLite 3, filled in one transaction.
#include <fmt/format.h>
#include <sqlite3.h>

#include <initializer_list>
#include <memory>
#include <string_view>

#include "trace/exports/formats.hpp"
#include "trace/exports/sqlite_schema.hpp"
#include "trace/exports/text.hpp"
#include "trace/names.hpp"

namespace lares::trace {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

/// A value of a row: NULL, a number or a text that outlives the row.
class SqlValue {
 public:
  SqlValue(std::uint64_t number) : kind_(Kind::number), number_(number) {}
  SqlValue(std::string_view text) : kind_(Kind::text), text_(text) {}
  static SqlValue of(Index index) {
    return index == none ? SqlValue() : SqlValue(std::uint64_t{index});
  }
  static SqlValue of_domain(std::uint16_t domain) {
    return domain == no_domain ? SqlValue() : SqlValue(std::uint64_t{domain});
  }
  SqlValue() = default;

  int bind(sqlite3_stmt* statement, int column) const noexcept {
    if (kind_ == Kind::null) return sqlite3_bind_null(statement, column);
    if (kind_ == Kind::number) {
      return sqlite3_bind_int64(statement, column, static_cast<sqlite3_int64>(number_));
    }
    return sqlite3_bind_text64(statement, column, text_.data(), text_.size(), SQLITE_STATIC,
                               SQLITE_UTF8);
  }

 private:
  enum class Kind : std::uint8_t { null, number, text };
  Kind kind_ = Kind::null;
  std::uint64_t number_ = 0;
  std::string_view text_;
};

/// Adds rows to one table; remembers the first failure.
class SqlTable {
 public:
  SqlTable(sqlite3* database, const char* name, int columns) {
    std::string marks = "?";
    for (int i = 1; i < columns; ++i) marks += ",?";
    const std::string sql = fmt::format("INSERT INTO {} VALUES ({})", name, marks);
    status_ = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr);
  }
  SqlTable(const SqlTable&) = delete;
  SqlTable& operator=(const SqlTable&) = delete;
  ~SqlTable() { sqlite3_finalize(statement_); }

  void add(std::initializer_list<SqlValue> row) noexcept {
    int column = 0;
    for (const SqlValue& value : row) {
      if (status_ == SQLITE_OK) status_ = value.bind(statement_, ++column);
    }
    if (status_ != SQLITE_OK) return;
    const int done = sqlite3_step(statement_);
    status_ = sqlite3_reset(statement_);
    if (status_ == SQLITE_OK && done != SQLITE_DONE) status_ = SQLITE_ERROR;
  }
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int status_ = SQLITE_OK;
};

int fill_run(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "run", 2);
  const auto add = [&](std::string_view name, std::string_view value) {
    const std::string clean_name = clean_text(name);
    const std::string clean_value = clean_text(value);
    table.add({std::string_view(clean_name), std::string_view(clean_value)});
  };
  const auto add_number = [&](std::string_view name, std::uint64_t value) {
    add(name, std::to_string(value));
  };
  const About& about = trace.about;
  add("command", command_line(about));
  add("policy", about.policy);
  add("loops", about.loops);
  add("placement", about.placement);
  add("binding", about.binding);
  add("machine", about.machine);
  add("openmp", about.openmp);
  add("lares_version", about.lares_version);
  add("started", about.started);
  add_number("duration_ns", trace.duration);
  add_number("domains", trace.domains);
  add_number("cpus", about.cpus);
  add_number("runtimes", about.runtimes);
  add_number("numa_balancing", about.numa_balancing ? 1 : 0);
  add_number("finished", about.finished ? 1 : 0);
  add("exit_status", std::to_string(about.exit_status));
  add("signal", std::to_string(about.signal));
  add_number("dropped_events", trace.dropped);
  for (const auto& [name, value] : about.environment) add("environment." + name, value);
  for (const std::string& note : trace.notes) add("note", note);
  return table.status();
}

int fill_threads(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "threads", 7);
  for (std::uint64_t i = 0; i < trace.threads.size(); ++i) {
    const Thread& thread = trace.threads[i];
    table.add({i, std::uint64_t{thread.process}, std::uint64_t{thread.number},
               SqlValue::of_domain(thread.domain), SqlValue::of_domain(thread.core),
               std::uint64_t{thread.bound}, std::uint64_t{thread.is_cut}});
  }
  return table.status();
}

int fill_constructs(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "constructs", 5);
  for (std::uint64_t i = 0; i < trace.constructs.size(); ++i) {
    const Construct& construct = trace.constructs[i];
    const std::string place = clean_text(construct.place);
    const std::string file = clean_text(construct.file);
    table.add({i, std::string_view(place), std::string_view(file), construct.offset,
               std::uint64_t{construct.is_loop}});
  }
  return table.status();
}

int fill_regions(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "regions", 6);
  for (std::uint64_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions[i];
    table.add({i, region.begin, region.end, std::uint64_t{region.team}, SqlValue::of(region.master),
               SqlValue::of(region.outer)});
  }
  return table.status();
}

int fill_grains(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "grains", 28);
  const auto flag = [](const Grain& grain, std::uint8_t bit) {
    return SqlValue(std::uint64_t{grain.has(bit)});
  };
  for (std::uint64_t i = 0; i < trace.grains.size(); ++i) {
    const Grain& grain = trace.grains[i];
    const bool is_chunk = grain.has(grain_flag::is_chunk);
    table.add({i,
               SqlValue::of(grain.thread),
               SqlValue::of(grain.construct),
               SqlValue::of(grain.region),
               SqlValue::of(grain.creator),
               SqlValue::of(grain.created_on),
               SqlValue::of(grain.released_by),
               SqlValue::of(grain.part_of),
               grain.begin,
               grain.end,
               grain.self,
               grain.created,
               grain.ready,
               grain.create_cost,
               grain.bytes,
               std::string_view(to_words(grain.locality)),
               std::string_view(to_words(grain.located)),
               SqlValue::of_domain(grain.home),
               SqlValue::of_domain(grain.domain),
               SqlValue::of_domain(grain.stolen_from),
               std::uint64_t{grain.depth},
               is_chunk ? SqlValue(grain.first) : SqlValue(),
               is_chunk ? SqlValue(std::uint64_t{grain.iterations}) : SqlValue(),
               flag(grain, grain_flag::is_chunk),
               flag(grain, grain_flag::undeferred),
               flag(grain, grain_flag::goes_on),
               flag(grain, grain_flag::has_data),
               flag(grain, grain_flag::unfinished)});
  }
  return table.status();
}

int fill_waits(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "waits", 7);
  for (std::uint64_t i = 0; i < trace.waits.size(); ++i) {
    const Wait& wait = trace.waits[i];
    table.add({i, SqlValue::of(wait.thread), SqlValue::of(wait.region),
               std::string_view(to_words(wait.kind)), wait.begin, wait.end, wait.idle});
  }
  return table.status();
}

int fill_loops(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "loops", 8);
  for (std::uint64_t i = 0; i < trace.loops.size(); ++i) {
    const LoopVisit& loop = trace.loops[i];
    table.add({i, SqlValue::of(loop.thread), SqlValue::of(loop.construct),
               SqlValue::of(loop.region), loop.begin, loop.end, loop.iterations, loop.chunk});
  }
  return table.status();
}

int fill_touches(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "touches", 7);
  for (std::uint64_t i = 0; i < trace.touches.list.size(); ++i) {
    const Touch& touch = trace.touches.list[i];
    table.add({i, std::uint64_t{touch.process}, SqlValue::of(touch.thread),
               SqlValue::of_domain(touch.domain), touch.at, touch.address, touch.bytes});
  }
  return table.status();
}

std::string_view word_of(memory::MoveKind kind) {
  switch (kind) {
    case memory::MoveKind::mark:
      return "mark";
    case memory::MoveKind::fetch:
      return "fetch";
    case memory::MoveKind::sample:
      return "sample";
    default:
      return "call";
  }
}

int fill_moves(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "moves", 10);
  for (std::uint64_t i = 0; i < trace.moves.list.size(); ++i) {
    const Move& move = trace.moves.list[i];
    table.add({i, std::uint64_t{move.process}, SqlValue::of(move.thread), word_of(move.kind),
               move.at, move.took, move.address, move.bytes, move.arrived,
               SqlValue::of_domain(move.domain)});
  }
  return table.status();
}

int fill_thread_moves(const Trace& trace, sqlite3* database) {
  SqlTable table(database, "thread_moves", 5);
  for (std::uint64_t i = 0; i < trace.moves.threads.size(); ++i) {
    const ThreadMove& move = trace.moves.threads[i];
    table.add({i, SqlValue::of(move.thread), move.at, SqlValue::of_domain(move.domain),
               SqlValue::of_domain(move.core)});
  }
  return table.status();
}

int run_sql(sqlite3* database, const std::string& sql) {
  return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
}

/// The database is new: nothing has to be kept if the machine fails, so nothing waits for the disk.
int fill_database(const Trace& trace, sqlite3* database) {
  int status = run_sql(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;");
  if (status == SQLITE_OK) status = run_sql(database, sqlite_tables);
  for (const auto fill : {fill_run, fill_threads, fill_constructs, fill_regions, fill_grains,
                          fill_waits, fill_loops, fill_touches, fill_moves, fill_thread_moves}) {
    if (status == SQLITE_OK) status = fill(trace, database);
  }
  if (status == SQLITE_OK) status = run_sql(database, sqlite_indices);
  if (status != SQLITE_OK) return status;
  return run_sql(database, fmt::format("PRAGMA user_version={}; COMMIT;", sqlite_schema_version));
}

}  // namespace

Failure sqlite_missing() { return ""; }

Failure write_sqlite(const Trace& trace, const std::string& path) {
  sqlite3* opened = nullptr;
  // A path that begins with "file:" or is ":memory:" is a path here like any other.
  const std::string file = path.front() == '/' ? path : "./" + path;
  const int status =
      sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  const Database database(opened);
  if (opened == nullptr) return "no memory";
  if (status == SQLITE_OK && fill_database(trace, opened) == SQLITE_OK) return "";
  return sqlite3_errmsg(opened);
}

}  // namespace lares::trace

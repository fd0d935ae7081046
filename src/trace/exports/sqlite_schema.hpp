// The tables of an exported database. Times are nanoseconds since the trace's first event, domains
// and threads are numbers, and what is not known is NULL.
#pragma once

namespace lares::trace {

/// Of `PRAGMA user_version`: raised when a column changes its meaning or goes away.
inline constexpr int sqlite_schema_version = 1;

inline constexpr const char* sqlite_tables = R"sql(
CREATE TABLE run (name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE threads (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, number INTEGER NOT NULL, domain INTEGER,
  core INTEGER, bound INTEGER NOT NULL, is_cut INTEGER NOT NULL);
CREATE TABLE constructs (
  id INTEGER PRIMARY KEY, place TEXT NOT NULL, file TEXT NOT NULL, code_offset INTEGER NOT NULL,
  is_loop INTEGER NOT NULL);
CREATE TABLE regions (
  id INTEGER PRIMARY KEY, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,
  team INTEGER NOT NULL, master INTEGER REFERENCES threads(id),
  outer_region INTEGER REFERENCES regions(id));
CREATE TABLE grains (
  id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads(id),
  construct INTEGER REFERENCES constructs(id), region INTEGER REFERENCES regions(id),
  creator INTEGER REFERENCES grains(id), created_on INTEGER REFERENCES threads(id),
  released_by INTEGER REFERENCES grains(id), part_of INTEGER REFERENCES grains(id),
  begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, self_ns INTEGER NOT NULL,
  created_ns INTEGER NOT NULL, ready_ns INTEGER NOT NULL, create_cost_ns INTEGER NOT NULL,
  bytes INTEGER NOT NULL, locality TEXT NOT NULL, located_by TEXT NOT NULL, home INTEGER,
  domain INTEGER, stolen_from INTEGER, depth INTEGER NOT NULL, first_iteration INTEGER,
  iterations INTEGER, is_chunk INTEGER NOT NULL, undeferred INTEGER NOT NULL,
  continues INTEGER NOT NULL, has_data INTEGER NOT NULL, unfinished INTEGER NOT NULL);
CREATE TABLE waits (
  id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads(id),
  region INTEGER REFERENCES regions(id), kind TEXT NOT NULL, begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL, idle_ns INTEGER NOT NULL);
CREATE TABLE loops (
  id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads(id),
  construct INTEGER REFERENCES constructs(id), region INTEGER REFERENCES regions(id),
  begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, iterations INTEGER NOT NULL,
  chunk INTEGER NOT NULL);
CREATE TABLE touches (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, thread INTEGER REFERENCES threads(id),
  domain INTEGER, at_ns INTEGER NOT NULL, address INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE moves (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, thread INTEGER REFERENCES threads(id),
  kind TEXT NOT NULL, at_ns INTEGER NOT NULL, took_ns INTEGER NOT NULL, address INTEGER NOT NULL,
  bytes INTEGER NOT NULL, arrived INTEGER NOT NULL, domain INTEGER);
CREATE TABLE thread_moves (
  id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads(id), at_ns INTEGER NOT NULL,
  domain INTEGER, core INTEGER);
)sql";

/// Made last: filling a table that has an index takes longer.
inline constexpr const char* sqlite_indices = R"sql(
CREATE INDEX grains_by_thread ON grains(thread, begin_ns);
CREATE INDEX grains_by_construct ON grains(construct, locality);
CREATE INDEX grains_by_creator ON grains(creator);
CREATE INDEX waits_by_thread ON waits(thread, begin_ns);
CREATE INDEX loops_by_thread ON loops(thread, begin_ns);
)sql";

}  // namespace lares::trace

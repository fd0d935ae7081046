// One function for each format: what exports.cpp chooses among.
#pragma once

#include <string>

#include "base/result.hpp"
#include "trace/exports/sink.hpp"
#include "trace/trace.hpp"

namespace lares::trace {

// Streams. Errors of writing are the sink's, which its owner asks for.
void put_csv(const Trace& trace, Sink& sink);
/// None where it is not known who came first to which pages.
void put_page_areas(const Trace& trace, Sink& sink);
void put_speedscope(const Trace& trace, Sink& sink);
void put_perfetto(const Trace& trace, Sink& sink);

/// "" where nothing is wrong.
using Failure = std::string;

/// Whether this build has the library; else the sentence that says so.
Failure otf2_missing();
Failure sqlite_missing();
/// Make the folder or file `path`, which does not exist. What failed is a clause without the path:
/// "disk full".
Failure write_otf2(const Trace& trace, const std::string& path);
Failure write_sqlite(const Trace& trace, const std::string& path);

}  // namespace lares::trace

// Speedscope's own format, as its schema describes it
// (https://www.speedscope.app/file-format-schema.json): an "evented" profile for each thread, whose
// frames are constructs. Times are nanoseconds.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "trace/exports/formats.hpp"
#include "trace/exports/lanes.hpp"
#include "trace/exports/text.hpp"

namespace lares::trace {
namespace {

std::string frame_of(const SourcePlace& place) {
  std::string frame = fmt::format("{{\"name\":{}", json_string(place.name));
  if (!place.file.empty()) {
    frame += fmt::format(",\"file\":{},\"line\":{}", json_string(place.file), place.line);
  }
  return frame + "}";
}

/// Frames in the order of the constructs; the last one is for grains of an unknown construct.
void put_frames(const Trace& trace, Sink& sink) {
  for (const Construct& construct : trace.constructs) {
    sink.put(frame_of(source_place(construct)));
    sink.put(",");
  }
  sink.put(frame_of({std::string(construct_name(trace, none)), "", 0}));
}

void put_profile(const Trace& trace, const Lanes& lanes, Index number, Sink& sink) {
  const Thread& thread = trace.threads[number];
  const std::vector<Edge> edges = lanes.edges_of(number);
  const Time last = edges.empty() ? 0 : edges.back().at;
  std::string text = fmt::format(
      "{{\"type\":\"evented\",\"name\":\"process {} thread {}\",\"unit\":\"nanoseconds\","
      "\"startValue\":0,\"endValue\":{},\"events\":[",
      thread.process, thread.number, std::max(last, trace.duration));
  const char* between = "";
  for (const Edge& edge : edges) {
    const Index construct = trace.grains[edge.span.index].construct;
    fmt::format_to(std::back_inserter(text), "{}{{\"type\":\"{}\",\"frame\":{},\"at\":{}}}",
                   between, edge.opens ? 'O' : 'C',
                   construct == none ? trace.constructs.size() : construct, edge.at);
    between = ",";
    if (text.size() < (std::size_t{1} << 16U)) continue;
    sink.put(text);
    text.clear();
  }
  sink.put(text + "]}");
}

}  // namespace

void put_speedscope(const Trace& trace, Sink& sink) {
  sink.put(fmt::format(
      "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":{},"
      "\"exporter\":{},\"activeProfileIndex\":0,\"shared\":{{\"frames\":[",
      json_string(command_line(trace.about)), json_string("lares " + trace.about.lares_version)));
  put_frames(trace, sink);
  sink.put("]},\"profiles\":[");
  const Lanes lanes(trace, bit_of(SpanKind::grain));
  for (Index t = 0; t < trace.threads.size(); ++t) {
    if (t != 0) sink.put(",");
    put_profile(trace, lanes, t, sink);
  }
  sink.put("]}\n");
}

}  // namespace lares::trace

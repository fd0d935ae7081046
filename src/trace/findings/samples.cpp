#include "trace/findings/samples.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace lares::trace {
namespace {

std::vector<const Move*> samples_by_address(const Trace& trace) {
  std::vector<const Move*> samples;
  for (const Move& move : trace.moves.list) {
    if (move.kind == memory::MoveKind::sample) samples.push_back(&move);
  }
  std::sort(samples.begin(), samples.end(), [](const Move* a, const Move* b) {
    return std::tie(a->process, a->address, a->at) < std::tie(b->process, b->address, b->at);
  });
  return samples;
}

void count(BytesByUse& bytes, const Move& sample) {
  const PageUse use = sample.arrived == 0 ? PageUse::local : PageUse::remote;
  bytes[static_cast<std::size_t>(use)] += sample.bytes;
}

/// Numbers of columns, by thread; `none`, which is the largest, is the last.
std::map<Index, std::size_t> columns_of(const std::vector<const Move*>& samples) {
  std::map<Index, std::size_t> columns;
  for (const Move* sample : samples) columns.try_emplace(sample->thread, 0);
  std::size_t number = 0;
  for (auto& [thread, column] : columns) column = number++;
  return columns;
}

bool goes_on(const PageFindings& found, const Move& sample) {
  if (found.rows.empty()) return false;
  const PageRow& row = found.rows.back();
  return row.process == sample.process && sample.address <= row.end;
}

}  // namespace

PageFindings find_samples(const Trace& trace) {
  PageFindings found;
  const std::vector<const Move*> samples = samples_by_address(trace);
  const std::map<Index, std::size_t> columns = columns_of(samples);
  for (const auto& [thread, column] : columns) found.columns.push_back({thread, {}});
  for (const Move* sample : samples) {
    if (!goes_on(found, *sample)) {
      found.rows.push_back({sample->process, sample->address, sample->address,
                            std::vector<BytesByUse>(columns.size())});
    }
    PageRow& row = found.rows.back();
    row.end = std::max(row.end, sample->address + sample->bytes);
    const std::size_t column = columns.at(sample->thread);
    count(row.cells[column], *sample);
    count(found.columns[column].bytes, *sample);
    count(found.bytes, *sample);
  }
  return found;
}

}  // namespace lares::trace

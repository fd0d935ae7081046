// `lares simulate --report`: the page docs/papers.md.
#pragma once

#include <cstdint>
#include <string>

#include "cli/study/simulate/counted.hpp"

namespace lares::cli {

/// Simulates what the papers published and writes a page about it, as Markdown. Takes minutes;
/// progress goes to stderr if that is a terminal. Throws UserMistake if a machine file is broken.
std::string papers_report(std::uint32_t seeds, const CountedLines& counted);

}  // namespace lares::cli

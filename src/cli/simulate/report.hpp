// `lares simulate --report`: the page docs/papers.md.
#pragma once

#include <cstdint>
#include <string>

namespace lares::cli {

/// Simulates what the papers published and writes a page about it, as Markdown. Takes minutes;
/// progress goes to a terminal's standard error. Throws UserMistake if a machine is not found.
std::string papers_report(std::uint32_t seeds);

}  // namespace lares::cli

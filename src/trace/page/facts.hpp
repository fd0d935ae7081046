// What is short of a run, as JSON for the page.
#pragma once

#include <span>
#include <string>

#include "trace/page/page.hpp"

namespace lares::trace::page {

/// ASCII without '<', so that nothing in it can end the element that holds it.
std::string facts_of(std::span<const PageRun> runs);

}  // namespace lares::trace::page

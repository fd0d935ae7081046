// What a run's bytes take at least, as JSON for the page.
#pragma once

#include <nlohmann/json.hpp>

#include "trace/model/least_times.hpp"

namespace lares::trace::page {

/// Null if no machine was given. Times are nanoseconds, as everywhere on the page.
nlohmann::ordered_json facts_of_model(const LeastTimes* times);

}  // namespace lares::trace::page

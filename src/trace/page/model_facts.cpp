#include "trace/page/model_facts.hpp"

#include "model/least_words.hpp"

namespace lares::trace::page {
namespace {

using Facts = nlohmann::ordered_json;

double nanoseconds(model::Seconds time) { return time.count * 1e9; }

Facts facts_of_row(const LeastRow& row) {
  const auto if_known = [&row](double value) {
    return row.is_known() ? Facts(value) : Facts(nullptr);
  };
  return {{"construct", row.construct == none ? Facts(nullptr) : Facts(row.construct)},
          {"bytes", if_known(row.bytes)},
          {"measured", nanoseconds(row.least.measured)},
          {"least", if_known(nanoseconds(row.least.memory.time))},
          {"efficiency", if_known(row.least.efficiency)},
          {"all_local", if_known(nanoseconds(row.least.if_local))},
          {"verdict", model::verdict_text(row.least)}};
}

}  // namespace

Facts facts_of_model(const LeastTimes* times) {
  if (times == nullptr) return nullptr;
  Facts rows = Facts::array();
  for (const LeastRow& row : times->rows) rows.push_back(facts_of_row(row));
  return {{"machine", times->machine},
          {"notes", times->notes},
          {"remarks", remarks_on(*times)},
          {"rows", std::move(rows)}};
}

}  // namespace lares::trace::page

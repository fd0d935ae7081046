#include "cli/study/simulate/counted.hpp"

#include <nlohmann/json.hpp>

namespace lares::cli {

CountedLines::CountedLines(std::string_view text) {
  const auto page = nlohmann::json::parse(text, nullptr, false);
  try {
    guest_ = page.at("guest").get<std::string>();
    for (const auto& row : page.at("rows")) {
      const auto percent = row.at("remote_percent").get<std::vector<int>>();
      const auto word = [&](const char* field) { return row.at(field).get<std::string>(); };
      shares_[word("program") + "-" + word("compiler") + ", " + word("configuration")] =
          std::to_string(percent.at(1)) + " [" + std::to_string(percent.at(0)) + ".." +
          std::to_string(percent.at(2)) + "] %";
    }
  } catch (const std::exception&) {  // another file
    shares_.clear();
    guest_.clear();
  }
}

std::string CountedLines::share(const std::string& program, const std::string& policy) const {
  const auto at = shares_.find(program + ", " + policy);
  return at == shares_.end() ? "" : at->second;
}

}  // namespace lares::cli

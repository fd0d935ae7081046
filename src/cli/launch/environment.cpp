#include "cli/launch/environment.hpp"

#include <unistd.h>

#include <algorithm>

namespace lares::cli {
namespace {

bool has_name(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

}  // namespace

Environment Environment::current() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return Environment(std::move(entries));
}

std::optional<std::string> Environment::get(std::string_view name) const {
  for (const std::string& entry : entries_) {
    if (!has_name(entry, name)) continue;
    std::string value = entry.substr(name.size() + 1);
    if (value.empty()) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

void Environment::set(std::string_view name, std::string_view value) {
  unset(name);
  entries_.push_back(std::string(name) + '=' + std::string(value));
}

void Environment::unset(std::string_view name) {
  std::erase_if(entries_, [&](const std::string& entry) { return has_name(entry, name); });
}

std::vector<std::string> Environment::names_with(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const std::string& entry : entries_) {
    if (entry.starts_with(prefix)) names.push_back(entry.substr(0, entry.find('=')));
  }
  return names;
}

}  // namespace lares::cli

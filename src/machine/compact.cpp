// The compact form: one fact per line, in a fixed order of blanks-separated words.
//
//   lares-machine 1
//   name TEXT
//   level LEVEL
//   domain NODE MEMORY TEXT           in DomainId order; -1 for "no node"
//   core DOMAIN CPU...                in CoreId order
//   tree LEVEL PARENT DOMAIN CORE...  parents first; -1 for "none"
//   memory NODE TOTAL FREE KIND HAS_CORES DOMAIN
//   distances SOURCE
//   row VALUE...                      one per domain
//   latency VALUE...                  one per domain, or none at all; 0 is "not known"
//   bandwidth VALUE...                one per domain, or none at all
//   end
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

#include "machine/machine.hpp"

namespace lares::machine {
namespace {

constexpr std::string_view header = "lares-machine 1";

void append(std::string& out, std::uint64_t number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out += ' ';
  out.append(digits.data(), end);
}

template <class Tag>
void append(std::string& out, Id<Tag> id) {
  if (!id.valid()) {
    out += " -1";
  } else {
    append(out, static_cast<std::uint64_t>(id.value()));
  }
}

/// Names are for people: what would break a line becomes a blank.
void append_text(std::string& out, std::string_view text) {
  out += ' ';
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20U || c == 0x7F ? ' ' : c;
}

void append_tree(std::string& out, const TreeNode& node) {
  out += "tree ";
  out += level_name(node.level);
  if (node.parent < 0) {
    out += " -1";
  } else {
    append(out, static_cast<std::uint64_t>(node.parent));
  }
  append(out, node.domain);
  for (const CoreId core : node.cores) append(out, core);
  out += '\n';
}

void append_distances(std::string& out, const Distances& distances) {
  out += "distances " + distances.source + '\n';
  for (std::size_t row = 0; row < distances.size; ++row) {
    out += "row";
    for (std::size_t column = 0; column < distances.size; ++column) {
      append(out, std::uint64_t{distances.values[row * distances.size + column]});
    }
    out += '\n';
  }
}

/// Rows of a matrix of domains; nothing if it is empty.
void append_rows(std::string& out, std::string_view key, const std::vector<std::uint32_t>& values,
                 std::size_t size) {
  if (values.size() != size * size) return;
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    if (cell % size == 0) out += key;
    append(out, std::uint64_t{values[cell]});
    if (cell % size == size - 1) out += '\n';
  }
}

/// The words of one line.
class Words {
 public:
  explicit Words(std::string_view line) noexcept : rest_(line) {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  /// The next word; empty if there is none.
  std::string_view next() noexcept {
    const std::size_t blank = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, blank);
    rest_.remove_prefix(std::min(blank + 1, rest_.size()));
    return word;
  }
  /// Everything that is left.
  std::string_view tail() noexcept { return std::exchange(rest_, {}); }

  /// Reads a number in [low, high]; false if the next word is not one.
  template <class Number>
  bool number(Number& value, Number low, Number high) noexcept {
    const std::string_view word = next();
    const char* const end = word.data() + word.size();
    const auto [stop, failure] = std::from_chars(word.data(), end, value);
    return failure == std::errc{} && stop == end && value >= low && value <= high;
  }
  template <class Tag>
  bool id(Id<Tag>& value, std::int32_t low) noexcept {
    std::int32_t raw = 0;
    if (!number(raw, low, std::numeric_limits<std::int32_t>::max())) return false;
    value = Id<Tag>{raw};
    return true;
  }
  bool bytes(Bytes& value) noexcept {
    return number(value.count, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
  }
  /// Reads ids up to the end of the line; false if there is none or one is wrong.
  template <class Tag>
  bool ids(std::vector<Id<Tag>>& values) {
    do {
      Id<Tag> value;
      if (!id(value, 0)) return false;
      values.push_back(value);
    } while (!empty());
    return true;
  }
  /// Appends numbers up to `high` to the end of the line; false if there is none or one is wrong.
  bool numbers(std::vector<std::uint32_t>& values, std::uint32_t high) {
    do {
      std::uint32_t value = 0;
      if (!number(value, 0U, high)) return false;
      values.push_back(value);
    } while (!empty());
    return true;
  }

 private:
  std::string_view rest_;
};

/// Builds a machine line by line.
class Parser {
 public:
  Result<Machine> parse(std::string_view text) {
    while (!ended_) {
      ++line_;
      const std::size_t newline = text.find('\n');
      if (newline == std::string_view::npos) return error("the text stops before its line \"end\"");
      if (!accept(text.substr(0, newline))) return error(problem_);
      text.remove_prefix(newline + 1);
    }
    if (!text.empty()) return error("there is text after the line \"end\"");
    return finish();
  }

 private:
  [[nodiscard]] Error error(std::string_view problem) const {
    return {"machine description, line " + std::to_string(line_) + ": " + std::string(problem)};
  }

  bool accept(std::string_view line) {
    if (line_ == 1) {
      problem_ = "the first line is not \"lares-machine 1\"";
      return line == header;
    }
    Words words(line);
    const std::string_view key = words.next();
    for (const auto& rule : rules) {
      if (key != rule.key) continue;
      problem_ = rule.form;
      return (this->*rule.read)(words);
    }
    problem_ =
        "the first word is none of name, level, domain, core, tree, memory, distances, row, "
        "latency, bandwidth, end";
    return false;
  }

  bool read_name(Words& words) {
    machine_.name = words.tail();
    return true;
  }
  bool read_level(Words& words) {
    const auto level = parse_level(words.tail());
    if (level) machine_.domain_level = level.value();
    return level.ok();
  }
  bool read_domain(Words& words) {
    Domain domain;
    if (!words.id(domain.node, -1) || !words.bytes(domain.memory)) return false;
    domain.name = words.tail();
    machine_.domains.push_back(std::move(domain));
    return true;
  }
  bool read_core(Words& words) {
    Core core;
    if (!words.id(core.domain, 0) || !words.ids(core.cpus)) return false;
    machine_.cores.push_back(std::move(core));
    return true;
  }
  bool read_tree(Words& words) {
    TreeNode node;
    const std::string_view level = words.next();
    if (level != level_name(Level::machine)) {
      const auto parsed = parse_level(level);
      if (!parsed) return false;
      node.level = parsed.value();
    }
    if (!words.number(node.parent, -1, std::numeric_limits<std::int32_t>::max())) return false;
    if (!words.id(node.domain, -1) || !words.ids(node.cores)) return false;
    machine_.tree.push_back(std::move(node));
    return true;
  }
  bool read_memory(Words& words) {
    MemoryNode memory;
    if (!words.id(memory.node, 0) || !words.bytes(memory.total) || !words.bytes(memory.free)) {
      return false;
    }
    memory.kind = words.next();
    std::uint32_t has_cores = 0;
    if (!words.number(has_cores, 0U, 1U) || !words.id(memory.domain, -1)) return false;
    memory.has_cores = has_cores == 1;
    machine_.memory.push_back(std::move(memory));
    return words.empty();
  }
  bool read_distances(Words& words) {
    machine_.distances.source = words.tail();
    return true;
  }
  bool read_row(Words& words) {
    do {
      std::uint32_t value = 0;
      if (!words.number(value, 1U, max_distance)) return false;
      machine_.distances.values.push_back(value);
    } while (!words.empty());
    ++machine_.distances.size;
    return true;
  }
  bool read_latency(Words& words) {
    return words.numbers(machine_.performance.latency_ns, max_latency_ns);
  }
  bool read_bandwidth(Words& words) {
    return words.numbers(machine_.performance.bandwidth_mb_s, max_bandwidth_mb_s);
  }
  bool read_end(Words& words) {
    ended_ = true;
    return words.empty();
  }

  Result<Machine> finish() {
    for (std::size_t c = 0; c < machine_.cores.size(); ++c) {
      const DomainId domain = machine_.cores[c].domain;
      // A domain that does not exist is left to validate(), which names the core.
      if (domain.index() < machine_.domains.size()) {
        machine_.domains[domain.index()].cores.emplace_back(c);
      }
    }
    if (auto verdict = validate(machine_)) return error(verdict->sentence);
    return std::move(machine_);
  }

  struct Rule {
    std::string_view key;
    bool (Parser::*read)(Words&);
    std::string_view form;
  };
  static constexpr Rule rules[] = {
      {"name", &Parser::read_name, "\"name\" needs a text"},
      {"level", &Parser::read_level, "\"level\" needs one of numa, package, l3, l2, group"},
      {"domain", &Parser::read_domain, "\"domain\" needs a node (-1 for none), bytes and a name"},
      {"core", &Parser::read_core, "\"core\" needs a domain and its cpus"},
      {"tree", &Parser::read_tree,
       "\"tree\" needs a level, a parent, a domain (-1 for none) and its cores"},
      {"memory", &Parser::read_memory,
       "\"memory\" needs a node, its bytes, the free ones, a kind, 0 or 1, and a domain"},
      {"distances", &Parser::read_distances, "\"distances\" needs a source"},
      {"row", &Parser::read_row, "\"row\" needs distances from 1 to 65535"},
      {"latency", &Parser::read_latency, "\"latency\" needs nanoseconds from 0 to 1000000"},
      {"bandwidth", &Parser::read_bandwidth, "\"bandwidth\" needs MB/s from 0 to 100000000"},
      {"end", &Parser::read_end, "\"end\" stands alone"},
  };

  Machine machine_;
  std::size_t line_ = 0;
  bool ended_ = false;
  std::string_view problem_;
};

}  // namespace

std::string to_compact(const Machine& machine) {
  std::string out(header);
  out += "\nname";
  append_text(out, machine.name);
  out += "\nlevel ";
  out += level_name(machine.domain_level);
  out += '\n';
  for (const Domain& domain : machine.domains) {
    out += "domain";
    append(out, domain.node);
    append(out, domain.memory.count);
    append_text(out, domain.name);
    out += '\n';
  }
  for (const Core& core : machine.cores) {
    out += "core";
    append(out, core.domain);
    for (const OsCpu cpu : core.cpus) append(out, cpu);
    out += '\n';
  }
  for (const TreeNode& node : machine.tree) append_tree(out, node);
  for (const MemoryNode& memory : machine.memory) {
    out += "memory";
    append(out, memory.node);
    append(out, memory.total.count);
    append(out, memory.free.count);
    out += ' ' + memory.kind + (memory.has_cores ? " 1" : " 0");
    append(out, memory.domain);
    out += '\n';
  }
  append_distances(out, machine.distances);
  append_rows(out, "latency", machine.performance.latency_ns, machine.domains.size());
  append_rows(out, "bandwidth", machine.performance.bandwidth_mb_s, machine.domains.size());
  out += "end\n";
  return out;
}

Result<Machine> parse_compact(std::string_view text) { return Parser{}.parse(text); }

}  // namespace lares::machine

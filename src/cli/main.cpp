// The programs `lares` and `lares-study`: parse, run one subcommand, and turn every outcome into an
// exit status.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/launch/words.hpp"
#include "cli/other_program.hpp"

namespace {

constexpr int status_mistake = 2;

int complain(const std::string& sentence, int status) {
  fmt::print(stderr, "lares: {}\n", sentence);
  return status;
}

/// The commands that may follow `app`, for sentences; "" if none may.
std::string command_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!names.empty()) names += ", ";
    names += command->get_name();
  }
  return names;
}

/// The innermost subcommand that the user named, or null.
const CLI::App* chosen(const CLI::App& app) {
  const CLI::App* innermost = nullptr;
  for (auto parsed = app.get_subcommands(); !parsed.empty();
       parsed = innermost->get_subcommands()) {
    innermost = parsed.front();
  }
  return innermost;
}

/// "topo", or "lab list".
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  if (parent == nullptr || parent->get_parent() == nullptr) return command.get_name();
  return full_name(*parent) + " " + command.get_name();
}

std::string option_names(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty()) continue;
    if (!names.empty()) names += ", ";
    names += "--" + option->get_lnames().front();
  }
  return names;
}

/// One sentence for words that no option or command takes.
std::string describe_extras(const CLI::App& app) {
  const CLI::App* command = chosen(app);
  const auto words = app.remaining(true);
  const std::string word = words.empty() ? "" : words.front();
  const bool is_option = word.size() > 1 && word.front() == '-';
  const std::string where = command == nullptr ? "" : full_name(*command) + ": ";
  const std::string commands = command_names(command == nullptr ? app : *command);
  if (!is_option && !commands.empty()) {
    return fmt::format("{}unknown command \"{}\", accepted are {}", where, word, commands);
  }
  if (command == nullptr) {
    return fmt::format("unknown option \"{}\", accepted are {}", word, option_names(app));
  }
  return fmt::format("{}{} \"{}\", accepted options are {}", where,
                     is_option ? "unknown option" : "unexpected argument", word,
                     option_names(*command));
}

/// CLI11's own message as the tail of our sentence: no capital, one line, no full stop.
std::string describe(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    return describe_extras(app);
  }
  std::string message = error.what();
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  const CLI::App* command = chosen(app);
  return command == nullptr ? message : full_name(*command) + ": " + message;
}

/// Data that did not reach its reader is an error, not a success.
int finish(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return complain(fmt::format("cannot write to standard output: {}", std::strerror(errno)),
                  status == 0 ? 1 : status);
}

/// Of the commands only the one that the user names as the first word, if any does: to describe all
/// of them takes longer than what some do.
void describe_app(CLI::App& app, std::string_view first_word) {
  app.name(lares::cli::this_program.name);
  app.set_version_flag("--version", "lares " LARES_VERSION);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(36);
  app.footer(lares::cli::this_program.footer);
  const auto& commands = lares::cli::this_program.commands;
  const bool is_named = std::ranges::any_of(
      commands, [first_word](const auto& command) { return command.name == first_word; });
  for (const auto& command : commands) {
    if (is_named && command.name != first_word) continue;
    if (command.add == nullptr) {
      app.add_subcommand(command.name, command.summary);
    } else {
      command.add(app);
    }
  }
}

/// The command line without its first word, in the order that CLI11 takes it: last word first.
std::vector<std::string> parser_words(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  words = lares::cli::protect_programs(app, std::move(words));
  std::reverse(words.begin(), words.end());
  return words;
}

int dispatch(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(parser_words(app, argc, argv));
    if (chosen(app) == nullptr) fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::Success& request) {
    app.exit(request);  // prints the help or the version on standard output
    return 0;
  } catch (const CLI::ParseError& error) {
    return complain(describe(app, error), status_mistake);
  } catch (const lares::cli::UserMistake& mistake) {
    return complain(mistake.error.sentence, mistake.status);
  } catch (const lares::cli::ExitStatus& exit) {
    return exit.status;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && lares::cli::is_of_other_program(argv[1])) {
      return complain(lares::cli::become_other_program(argv), status_mistake);
    }
    CLI::App app{lares::cli::this_program.summary};
    describe_app(app, argc > 1 ? argv[1] : "");
    return finish(dispatch(app, argc, argv));
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}", error.what()), 1);
  }
}

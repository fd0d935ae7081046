// The pages that a program's processes leave when nothing goes on: `lares run --stall` prints them,
// and `lares stall` asks for them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace lares::cli {

/// Reads the value of --stall or LARES_STALL: seconds, 0.1 and more. An error says what is
/// accepted.
Result<std::chrono::milliseconds> parse_stall(std::string_view word);

/// A page as a process wrote it, with names for its addresses, and what else a report needs.
/// `machine` and `command` may be empty.
std::string readable_page(const std::string& page, pid_t process, const std::string& session,
                          std::string_view machine, std::string_view command);

/// Tells the libraries of a session how long nothing may go on. False if that cannot be written.
bool ask_to_watch(const std::string& session, std::chrono::milliseconds limit);

/// Takes the pages out of the session's folder that --stall asked for.
std::vector<std::pair<pid_t, std::string>> take_stall_pages(const std::string& session);

/// The session that a process runs in, if it runs under `lares run`.
std::optional<std::string> session_of(pid_t process);

/// The processes of a session that have used OpenMP, by number.
std::vector<pid_t> processes_of(const std::string& session);

/// Asks a process of the session for a page; its number there is the answer. An error says that the
/// process cannot be asked.
Result<std::uint32_t> ask_for_page(const std::string& session, pid_t process);
/// That page, once it is written.
std::optional<std::string> take_asked_page(const std::string& session, pid_t process,
                                           std::uint32_t number);

}  // namespace lares::cli

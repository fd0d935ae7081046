// Commands that are in the other program of the two, lares-study.
#pragma once

#include <string>
#include <string_view>

namespace lares::cli {

/// The name of the file that has the commands of `study/`.
inline constexpr const char* study_name = "lares-study";

/// True for a command of this program's table that another program has.
bool is_of_other_program(std::string_view command);

/// Goes on as lares-study with the same words. Returns only if that could not be started: one
/// sentence that says why.
std::string become_other_program(char** argv);

/// The file of the program `lares`, for who starts it again; beside this one's.
std::string lares_file();

}  // namespace lares::cli

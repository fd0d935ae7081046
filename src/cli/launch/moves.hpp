// `lares run --trace DIR`: makes the file into which the program's processes note which memory
// moves, and shortens it afterwards.
#pragma once

#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace lares::cli {

/// Before the program starts: the file in the folder `trace`. It takes a small part of `limit`, the
/// bytes of all records: so much is answered. An Error says why nothing can be noted.
Result<Bytes> make_moves_file(const std::string& trace, Bytes limit);

/// After the program's end: leaves out the room that nobody used, and the file if nothing moved.
/// Processes that still run go on in the file as it was, and what they note is lost.
void finish_moves_file(const std::string& trace);

}  // namespace lares::cli

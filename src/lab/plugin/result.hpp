// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The file in which the counter hands over what it counted: one JSON object, format
// "lares-lab-counts", version 1.
#pragma once

#include <string>

#include "lab/plugin/options.hpp"
#include "lab/plugin/regions.hpp"

namespace lares::lab::counting {

/// What becomes the file. Matrices are lists of rows, [node of the vCPU][column: see Kind].
struct Result {
  const Options* options = nullptr;
  const Regions* regions = nullptr;  ///< null: nothing was counted
  bool complete = false;             ///< the program's end was seen
  std::uint64_t elsewhere = 0;
  std::string error;  ///< why nothing was counted
};

/// With a line end. Bytes of a name that are not printable ASCII become a "?" unless the name is
/// valid UTF-8.
std::string to_json(const Result& result);

/// "" or a sentence.
std::string write_file(const std::string& path, const std::string& text);

/// The file's text. Sets `sentence` if it cannot be read.
std::string read_file(const std::string& path, std::string& sentence);

}  // namespace lares::lab::counting

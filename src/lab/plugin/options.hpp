// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
// The plugin's arguments, as `lares lab run` passes them after the plugin's path.
//
//   cpus=2:2:0         vCPUs of each node, in the order of the nodes; they are numbered node by
//   node packages=0:0:1     the package of each node; without it each is one of its own l2=BYTES
//   size of each vCPU's cache; a multiple of l2_unit l3=BYTES           size of each shared cache;
//   a multiple of l3_unit; 0 for none l3-per=node        or package map=PATH           address map,
//   read when the program starts result=PATH        where the counts are written when the program
//   has ended
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/plugin/cache_model.hpp"

namespace lares::lab::counting {

struct Options {
  std::vector<unsigned> cpus;  ///< by node
  std::vector<unsigned> packages;
  std::uint64_t l2_bytes = 512 * 1024;
  std::uint64_t l3_bytes = 0;
  bool l3_per_package = false;
  std::string map;
  std::string result;
};

/// Takes one argument. Returns "" or a sentence that says what is wrong with it.
std::string take_option(Options& options, std::string_view argument);

/// To be asked after the last argument: "" or a sentence.
std::string check_options(const Options& options);

/// Precondition: check_options() found nothing.
Layout layout_of(const Options& options);

}  // namespace lares::lab::counting

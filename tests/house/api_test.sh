#!/usr/bin/env bash
# What the C interface answers when started plainly, and beside a library that says no or yes.
#
# api_test.sh VERSION PROGRAM FAKE_RUNTIME LARES LIBRARY DISTANCES: PROGRAM prints "VERSION ACTIVE";
# FAKE_RUNTIME looks like the preloaded library and says yes if FAKE_ACTIVE is set; LARES and LIBRARY
# are the built command and what it preloads.
set -euo pipefail
version=$1 program=$2 fake=$3 lares=$4 library=$5 distances=$6
failures=0

expect() {
  local what=$1 wanted=$2 got=$3
  if [[ $got != "$wanted" ]]; then
    echo "$what: wanted '$wanted', got '$got'"
    failures=$((failures + 1))
  fi
}

unset LARES_SESSION FAKE_ACTIVE
expect "plain" "$version 0" "$("$program")"
expect "a library that says no" "$version 0" "$(LD_PRELOAD=$fake "$program")"
expect "a library that says yes" "$version 1" "$(FAKE_ACTIVE=1 LD_PRELOAD=$fake "$program")"
expect "lares run" "$version 1" "$("$lares" run --quiet -- "$program")"
expect "preloaded without lares run" "$version 0" "$(LD_PRELOAD=$library "$program")"

# DISTANCES prints the number of domains and the distances from 0 to 0, 0 to 1, 1 to 0 and 0 to 2.
two_nodes='synthetic:pack:2 [numa] core:1 pu:1'
# Started plainly, they are those of this machine as the kernel tells them.
node=/sys/devices/system/node
if [[ $(cat $node/has_memory $node/online | tr '\n' ' ') == "0 0 " ]]; then
  expect "distances, plain" "0 $(cat $node/node0/distance) 0 0 0" "$("$distances")"
fi
expect "distances under lares run" "2 10 20 20 0" \
  "$("$lares" run --quiet --machine "$two_nodes" -- "$distances")"
exit $((failures > 0))

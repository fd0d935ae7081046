#!/usr/bin/env bash
# What the C interface answers when started plainly, with half of what it asks for, and with all.
#
# api_test.sh VERSION PROGRAM FAKE_RUNTIME [LARES]: PROGRAM prints "VERSION ACTIVE"; FAKE_RUNTIME is
# a library that looks like the preloaded one; LARES, if given, is the built command.
set -euo pipefail
version=$1 program=$2 fake=$3 lares=${4:-}
failures=0

expect() {
  local what=$1 wanted=$2 got=$3
  if [[ $got != "$wanted" ]]; then
    echo "$what: wanted '$wanted', got '$got'"
    failures=$((failures + 1))
  fi
}

unset LARES_SESSION
expect "plain" "$version 0" "$("$program")"
expect "session without library" "$version 0" "$(LARES_SESSION=/nowhere "$program")"
expect "library without session" "$version 0" "$(LD_PRELOAD=$fake "$program")"
expect "session and library" "$version 1" "$(LARES_SESSION=/nowhere LD_PRELOAD=$fake "$program")"
if [[ -n $lares ]]; then
  expect "lares run" "$version 1" "$("$lares" run --quiet -- "$program")"
fi
exit $((failures > 0))

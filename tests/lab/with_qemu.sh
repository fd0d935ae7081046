#!/bin/sh
# Runs a command that needs QEMU; without it says so and ends with status 77, "skipped".
command -v qemu-system-x86_64 >/dev/null || {
  echo "skipped: no qemu-system-x86_64 (package qemu-system-x86)"
  exit 77
}
exec "$@"

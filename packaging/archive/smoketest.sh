#!/bin/sh
# What the competition runs on an unpacked archive: the version, and one task of each verdict.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
"$here/bolide" --version
expect() {
  said="$("$here/bolide" verify --no-config --quiet --property "$here/smoke/$3" "$here/smoke/$2" || true)"
  echo "$2: $said"
  [ "$said" = "RESULT: $1" ]
}
expect true count.yml unreach-call.prp
expect "false(no-overflow)" total.yml no-overflow.prp

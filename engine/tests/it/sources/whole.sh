#!/usr/bin/env bash
set -euo pipefail
source ./lib.sh
LIMIT=10
readonly ROOT="$(pwd)"
export PATH_EXTRA=/opt

function build() {
  local target=$1
  make "$target"
}

clean () { rm -rf out; }

main() {
  build all
  inner() { echo deep; }
}
main "$@"

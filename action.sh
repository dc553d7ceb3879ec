#!/usr/bin/env bash
# The steps of the action (action.yml), which can be run anywhere:
#   action.sh download   gets the release VERSION from PLACE into ~/.bolide-bin; `found` says whether
#   action.sh build      builds this checkout into ~/.bolide-build
#   action.sh scan       scans FOLDER, what changed since BASE, with ARGUMENTS
# The service's files (GITHUB_OUTPUT, GITHUB_PATH, GITHUB_STEP_SUMMARY) are standard output where there
# are none.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
output="${GITHUB_OUTPUT:-/dev/stdout}"
path="${GITHUB_PATH:-/dev/stdout}"

download() {
  local found=false folder="$HOME/.bolide-bin" name
  name="bolide-${VERSION:-}-$(uname -m)-linux"
  mkdir -p "$folder"
  if [ -n "${VERSION:-}" ] && curl -fsSL "$PLACE/v$VERSION/$name.tar.gz" -o "$folder/bolide.tar.gz" &&
    curl -fsSL "$PLACE/v$VERSION/$name.tar.gz.sha256" -o "$folder/bolide.tar.gz.sha256" &&
    (cd "$folder" && echo "$(cut -d' ' -f1 bolide.tar.gz.sha256)  bolide.tar.gz" | sha256sum -c --quiet); then
    tar -xzf "$folder/bolide.tar.gz" -C "$folder" --strip-components=1
    echo "$folder/bin" >>"$path"
    found=true
  fi
  echo "found=$found" >>"$output"
}

build() {
  local folder="$HOME/.bolide-build"
  if ! [ -x "$folder/bin/bolide" ]; then
    cargo install --locked --quiet --path "$here/crates/cli" --root "$folder"
  fi
  echo "$folder/bin" >>"$path"
}

scan() {
  local against=() more=() log code=0
  log="$(pwd)/bolide.sarif"
  read -ra more <<<"${ARGUMENTS:-}"
  if [ -n "${BASE:-}" ]; then
    # A checkout of one commit knows no other: the base and what is between are fetched.
    git rev-parse --quiet --verify "$BASE^{commit}" >/dev/null ||
      git fetch --quiet --no-tags origin "+refs/heads/${BASE#origin/}:refs/remotes/$BASE" || true
    git merge-base "$BASE" HEAD >/dev/null 2>&1 || git fetch --quiet --deepen=200 origin || true
    against=(--against "$BASE")
  fi
  # Certificates beside the answers, unless the project keeps them elsewhere.
  grep -qs '^proofs' "${FOLDER:-.}/bolide.toml" || more+=(--proofs "${FOLDER:-.}/.bolide")
  "${BOLIDE:-bolide}" scan "${FOLDER:-.}" --quiet --sarif "$log" --summary "${GITHUB_STEP_SUMMARY:-/dev/stdout}" \
    "${against[@]}" "${more[@]}" || code=$?
  # A violation (10) or no verdict (20) shall not keep the log from being uploaded.
  [ "$code" -eq 0 ] || [ "$code" -eq 10 ] || [ "$code" -eq 20 ] || exit "$code"
  { echo "sarif=$log"; echo "exit=$code"; } >>"$output"
}

"$@"

#!/bin/sh
# Refuses commits without a valid approval. Program version, policy and list of signers are read from the base,
# which the verified commits cannot change.
#
#   sh verify.sh <base> <head>      commit ids or full refs (refs/remotes/origin/main): short names can be ambiguous
#
# ISDLC         the program to run (isdlc)
# ISDLC_POLICY  path of the policy in the repository (ci/isdlc-policy.json); without this file, isdlc's strict default
# ISDLC_SIGNERS path of the list of signers in the repository (ci/allowed_signers)
# ISDLC_REMOTE  remote to fetch statements from (origin); empty: they are here already
# ISDLC_SARIF   also write the result to this file as SARIF
set -eu

commit() {
  case $1 in
    refs/*) git rev-parse --verify --quiet --end-of-options "$1^{commit}" && return ;;
    *[!0-9a-f]* | '') ;;
    *) if [ "${#1}" -eq 40 ] || [ "${#1}" -eq 64 ]; then echo "$1"; return; fi ;;
  esac
  echo "verify.sh: $1 is neither a commit id nor a full ref that exists here" >&2
  exit 2
}

base=$(commit "$1")
head=$(commit "$2")
program=${ISDLC:-isdlc}
policy=${ISDLC_POLICY:-ci/isdlc-policy.json}
signers=${ISDLC_SIGNERS:-ci/allowed_signers}
remote=${ISDLC_REMOTE-origin}

if [ -n "$remote" ]; then
  git fetch --quiet --no-tags "$remote" '+refs/notes/isdlc:refs/notes/origin/isdlc' || echo 'No statements are shared here yet.'
fi

set -- "$base..$head" --signers "$base:$signers"
# If git fails, the policy is unknown: the default could be weaker.
found=$(git ls-tree --full-tree "$base" -- "$policy") || { echo "verify.sh: cannot read $policy of $base" >&2; exit 2; }
if [ -n "$found" ]; then set -- "$@" --policy "$base:$policy"; fi
if [ -n "${ISDLC_SARIF:-}" ]; then set -- "$@" --sarif "$ISDLC_SARIF"; fi

exec $program verify-commits "$@"

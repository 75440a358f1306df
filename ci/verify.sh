#!/bin/sh
# Refuses commits that nobody vouches for. Everything it relies on is read from the base branch,
# which the commits that are judged cannot change.
#
#   sh verify.sh <base> <head>
#
# ISDLC         the program to run (isdlc)
# ISDLC_POLICY  path of the policy in the repository (ci/isdlc-policy.json)
# ISDLC_SIGNERS path of the list of signers in the repository (ci/allowed_signers)
# ISDLC_REMOTE  where statements are fetched from (origin); empty: they are here already
# ISDLC_SARIF   also write the result there as SARIF
set -eu

base=$1
head=$2
program=${ISDLC:-isdlc}
policy=${ISDLC_POLICY:-ci/isdlc-policy.json}
signers=${ISDLC_SIGNERS:-ci/allowed_signers}
remote=${ISDLC_REMOTE-origin}

if [ -n "$remote" ]; then
  git fetch --quiet --no-tags "$remote" '+refs/notes/isdlc:refs/notes/origin/isdlc' || echo 'No statements are shared here yet.'
fi

# The branch may have moved on since: what is judged is what it would add.
start=$(git merge-base "$base" "$head")

set -- "$start..$head" --signers "$base:$signers"
if git cat-file -e "$base:$policy" 2>/dev/null; then set -- "$@" --policy "$base:$policy"; fi
if [ -n "${ISDLC_SARIF:-}" ]; then set -- "$@" --sarif "$ISDLC_SARIF"; fi

exec $program verify-commits "$@"

#!/bin/sh
# Runs a command with the address of the database, whose password is in a file and on no command line.
set -eu
password="$(node -p 'encodeURIComponent(require("node:fs").readFileSync("/run/secrets/database-password", "utf8").trim())')"
ISDLC_DATABASE_URL="postgresql://isdlc:${password}@database/isdlc"
export ISDLC_DATABASE_URL
exec "$@"

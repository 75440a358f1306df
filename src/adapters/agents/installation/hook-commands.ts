import { OWN, OWN_FOLDER, ownPath } from "../../../core/own-folder.ts";
import { shellWord } from "../../../core/command-line.ts";

/**
 * Shell script that hosts run for an event. It starts nothing before it finds the marker of an open run, from the
 * project's folder upwards. It does nothing inside an agent started by a run, and removes settings that slow down the
 * start of Node. `hook` and `program` are quoted shell words.
 */
const guarded = (hook: string): string =>
  `d=\${CLAUDE_PROJECT_DIR:-$PWD}; while [ ! -e "$d/${ownPath(OWN.active)}" ]; do case $d in ?*/*) d=\${d%/*} ;; *) exit 0 ;; esac; done; [ -z "$ISDLC_NONCE" ] || exit 0; t=; command -v timeout >/dev/null && t="timeout 5"; NODE_EXTRA_CA_CERTS= NODE_OPTIONS= $t node ${hook} "$d"`;

const FAILED = "isdlc: its guard failed, so nothing may change while a run is open; the person can run: isdlc doctor";

export type HookCommands = {
  /** Refuses on failure: for events that can be refused. */
  readonly closed: string;
  /** Passes on failure: for events that only report. */
  readonly open: string;
  readonly start: string;
};

/**
 * Registers the host, which runs this shell itself: its program file and its line in `/proc`. The server accepts typed
 * commands only from a registered host.
 */
export const REGISTER_HOST =
  '[ -z "$ISDLC_NONCE" ] && [ -r "/proc/$PPID/stat" ] || exit 0; h=${XDG_STATE_HOME:-$HOME/.local/state}/isdlc/hosts; umask 077; [ -d "$h" ] || mkdir -p "$h"; { readlink "/proc/$PPID/exe"; IFS= read -r s < "/proc/$PPID/stat"; echo "$s"; } > "$h/$PPID"; exit 0';

export function hookCommands(hook: string, program: string): HookCommands {
  return {
    closed: `${guarded(hook)} || { echo "${FAILED}" >&2; exit 2; }`,
    open: `${guarded(hook)} || exit 0`,
    start: `[ -z "$ISDLC_NONCE" ] || exit 0; d=\${CLAUDE_PROJECT_DIR:-$PWD}; while [ ! -e "$d/${OWN_FOLDER}" ] && [ ! -e "$d/docs/features" ]; do case $d in ?*/*) d=\${d%/*} ;; *) exit 0 ;; esac; done; NODE_EXTRA_CA_CERTS= NODE_OPTIONS= node ${program} hook session-start --json || exit 0`,
  };
}

/** Returns the commands with the paths of this installation. */
export const installedHookCommands = (hook: string, program: string): HookCommands =>
  hookCommands(shellWord(hook), shellWord(program));

import { OWN, OWN_FOLDER, ownPath } from "../../core/own-folder.ts";
import { shellWord } from "../../core/shell-word.ts";

/**
 * The shell that hosts run for an event. It looks for the marker of an open run before it starts anything, from the
 * project's folder upwards, does nothing within an agent that a run started itself, and keeps settings that make Node
 * slow to start away from it. `hook` and `program` are words of the shell, quoted.
 */
const guarded = (hook: string): string =>
  `d=\${CLAUDE_PROJECT_DIR:-$PWD}; while [ ! -e "$d/${ownPath(OWN.active)}" ]; do case $d in ?*/*) d=\${d%/*} ;; *) exit 0 ;; esac; done; [ -z "$ISDLC_NONCE" ] || exit 0; t=; command -v timeout >/dev/null && t="timeout 5"; NODE_EXTRA_CA_CERTS= NODE_OPTIONS= $t node ${hook} "$d"`;

const FAILED = "isdlc: its guard failed, so nothing may change while a run is open; the person can run: isdlc doctor";

export type HookCommands = {
  /** Refuses when it fails: for events that something can be refused at. */
  readonly closed: string;
  /** Lets pass when it fails: for events that only tell. */
  readonly open: string;
  readonly start: string;
};

/**
 * Registers the host, which runs this shell itself: its program file and the line that Linux keeps about it. The server
 * takes typed commands only from a registered host.
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

/** The same with the paths of this installation written into them. */
export const installedHookCommands = (hook: string, program: string): HookCommands =>
  hookCommands(shellWord(hook), shellWord(program));

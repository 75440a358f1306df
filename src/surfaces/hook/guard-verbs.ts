import { basename } from "node:path";

/** Commands of isdlc that a session may use: they read, or are part of its work. All others are for people. */
export const SESSION_VERBS: readonly string[] = [
  "items",
  "logs",
  "status",
  "next",
  "begin",
  "report",
  "gate",
  "check",
  "history",
  "doctor",
  "export",
  "agents",
  "verify-commits",
  "version",
  "verify-journal",
  "completion",
  "help",
];

const GIT_WRITES =
  /^(?:commit|merge|rebase|reset|checkout|switch|restore|stash|push|pull|tag|branch|update-ref|update-index|symbolic-ref|worktree|cherry-pick|revert|am|apply|config|clean|rm|mv|add|init|gc|prune|replace|notes|filter-branch|submodule|remote|reflog)$/;

/** Returns why a session may never run this program: it decides, commits, or types in the user's place. */
export function refuseProgram(words: readonly string[]): string | null {
  const [program = "", ...args] = words;
  const name = basename(program);
  return refuseVerb(words) ?? refuseGit(name, args) ?? refuseKeys(name, args);
}

function refuseVerb(words: readonly string[]): string | null {
  const at = words.slice(0, 3).findIndex((word) => /^isdlc(?:\.cjs)?$/.test(basename(word)));
  if (at === -1 || (at > 0 && !/^(?:node|bun|deno|exec|dlx|run)$/.test(basename(words[at - 1] ?? "")))) return null;
  const args = words.slice(at + 1);
  const verb = args.find((arg, index) => !arg.startsWith("-") && !/^(?:-C|--run|--item)$/.test(args[index - 1] ?? ""));
  if (verb === undefined || SESSION_VERBS.includes(verb))
    return args.includes("--fix") ? forPeople("doctor --fix") : null;
  if (verb === "config" && /^(?:get)?$/.test(args[args.indexOf(verb) + 1] ?? "")) return null;
  return forPeople(verb);
}

const forPeople = (verb: string): string =>
  verb === "mcp" || verb === "hook"
    ? `isdlc ${verb} is started by the product itself`
    : `isdlc ${verb.slice(0, 40)} is for the person, in their own terminal or by typing the command in this session. You may use: isdlc begin, report, status, gate, history`;

function refuseGit(name: string, args: readonly string[]): string | null {
  if (name !== "git") return null;
  const verb = args.find(
    (arg, index) => !arg.startsWith("-") && !/^(?:-C|-c|--git-dir|--work-tree)$/.test(args[index - 1] ?? ""),
  );
  if (verb === undefined || !GIT_WRITES.test(verb)) return null;
  const isListing =
    /^(?:branch|tag|remote|worktree|stash|config|notes|reflog|submodule)$/.test(verb) && isOnlyListing(args, verb);
  if (isListing) return null;
  return `git ${verb} changes the repository. isdlc commits when the person accepts the phase; you may read (status, diff, log, show)`;
}

function isOnlyListing(args: readonly string[], verb: string): boolean {
  const rest = args.slice(args.indexOf(verb) + 1);
  const asks =
    rest.length === 0
      ? verb !== "stash" && verb !== "config"
      : /^(?:list|show|-l|--list|-a|-r|-v|-vv|--show-current|--get|--get-all|status|get-url)$/.test(rest[0] ?? "");
  return asks && !rest.some((arg) => /^(?:-d|-D|-m|-M|-f|--delete|--move|--force|--edit-description)$/.test(arg));
}

function refuseKeys(name: string, args: readonly string[]): string | null {
  const types =
    (name === "tmux" &&
      args.some((arg) => /^(?:send|send-keys|send-prefix|paste-buffer|pasteb|run-shell|run|pipe-pane)$/.test(arg))) ||
    (name === "screen" && args.includes("-X")) ||
    /^(?:xdotool|ydotool|wtype)$/.test(name);
  return types ? "this types into a terminal in the person's place. Tell them what to type instead" : null;
}

import { join } from "node:path";

/** What comes of an attack: nothing is recorded, or a decision is recorded that the person did not take. */
export type Outcome = "refused" | "HOLE";

export type TypedAttack = {
  /** The deed of `speak_for_person.py`. */
  readonly deed: string;
  /** What the program notes if it did its deed; a sandbox may stop it before. */
  readonly reached: RegExp;
  /** What refuses it. */
  readonly holds: string;
  /** Without the product's sandbox; refused in it. */
  readonly plain: Outcome;
};

const BLOCKED = /"id":102/;

/** Ways in which a session's model may bring a command to isdlc's server as if the person had typed it. */
export const typedAttacks: readonly TypedAttack[] = [
  {
    deed: "starts a server of its own and pipes to it",
    reached: BLOCKED,
    holds: "the parent is not the host; same result with redo, cancel and answer merge",
    plain: "refused",
  },
  {
    deed: "becomes the server, with a file as its input",
    reached: BLOCKED,
    holds: "the input is not a socket",
    plain: "refused",
  },
  {
    deed: "becomes the server, with a pipe as its input",
    reached: BLOCKED,
    holds: "the input is not a socket",
    plain: "refused",
  },
  {
    deed: "becomes the server, with a socket as its input",
    reached: BLOCKED,
    holds: "the host does not hold the other end",
    plain: "refused",
  },
  {
    deed: "becomes the server, with the environment of the real one",
    reached: BLOCKED,
    holds: "the host does not hold the other end; variables are no proof",
    plain: "refused",
  },
  {
    deed: "writes into the real server's input through the host's open files",
    reached: /tried/,
    holds: "sockets cannot be opened under `/proc`",
    plain: "refused",
  },
  {
    deed: "makes up events of the hooks, then becomes the server",
    reached: BLOCKED,
    holds: "the content of an event registers and records nothing",
    plain: "refused",
  },
  {
    deed: "starts a host of its own, registered and at a terminal",
    reached: BLOCKED,
    holds: "TERMINAL_SUSPICIOUS: a process without a parent opened the terminal",
    plain: "refused",
  },
  {
    deed: "opens the debugger of the real server",
    reached: /tried/,
    holds: "the server does not open its debugger after a signal",
    plain: "refused",
  },
  {
    deed: "takes the host's socket as a debugger may",
    reached: /taken/,
    holds:
      "nothing: a program that may trace the host can act as the host (root, or `kernel.yama.ptrace_scope` 0 or absent). `isdlc doctor` reports this; leave `prompt` out of `approvals`, or use the sandbox",
    plain: "HOLE",
  },
  {
    deed: "kills the real server and becomes the server",
    reached: BLOCKED,
    holds: "the host does not hold the other end",
    plain: "refused",
  },
];

export type AttackPlace = { readonly program: string; readonly root: string; readonly out: string };

const fixture = join(import.meta.dirname, "../../fixtures/agents/speak_for_person.py");

/** The line of shell for a deed. It takes the place of the shell, so that the session is the parent. */
export function attackLine(deed: string, place: AttackPlace): string {
  const task = { deed, node: process.execPath, command: "continue", args: "", ...place };
  return `exec python3 ${fixture} ${Buffer.from(JSON.stringify(task)).toString("base64")}`;
}

const FIRST = "<!-- typed attacks: written by test/slow/guest/typed-attacks.test.ts -->\n";
const LAST = "<!-- end of typed attacks -->";

/** The guide with the table as the attacks should come out. */
export function withAttackTable(guide: string): string {
  const row = ({ deed, plain, holds }: TypedAttack): string =>
    `| ${deed} | ${plain === "HOLE" ? "**HOLE**" : plain} | refused | ${holds} |\n`;
  const head = "| the session's model … | plain | sandbox | reason |\n|---|---|---|---|\n";
  const [before = "", rest = ""] = guide.split(FIRST);
  const after = rest.slice(rest.indexOf(LAST));
  return `${before}${FIRST}${head}${typedAttacks.map(row).join("")}${after}`;
}

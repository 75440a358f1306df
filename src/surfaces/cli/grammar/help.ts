import { findVerb, verbs } from "./catalog.ts";
import { globalOptions } from "./options.ts";
import type { Option, Verb } from "../invocation/verb.ts";

type Topic = { readonly name: string; readonly title: string; readonly verbs: readonly string[] };

/** All commands, grouped by task. */
export const helpTopics: readonly Topic[] = [
  {
    name: "start",
    title: "Start work",
    verbs: ["do", "feature", "fix", "adopt", "build", "analyze", "add", "items", "run"],
  },
  { name: "gates", title: "Decide", verbs: ["continue", "review", "redo", "back", "answer", "cancel"] },
  { name: "follow", title: "Follow a run", verbs: ["status", "next", "gate", "logs", "check", "history", "ui"] },
  { name: "recovery", title: "Continue after a problem", verbs: ["resume", "retry", "fresh", "skip", "doctor"] },
  {
    name: "spec",
    title: "Spec workflow, one phase at a time",
    verbs: ["brainstorm", "specify", "design", "create-plan", "create-tasks", "implement", "verify", "finish"],
  },
  {
    name: "audit",
    title: "Prove and share",
    verbs: ["attest", "verify-commits", "verify-journal", "export", "import"],
  },
  {
    name: "setup",
    title: "Set up",
    verbs: ["init", "demo", "agents", "config", "trust", "token", "passkey", "completion", "version", "help"],
  },
  {
    name: "team",
    title: "Work in a team",
    verbs: ["login", "request", "push-run", "pull-run", "team", "server", "worker"],
  },
  {
    name: "sessions",
    title: "Use inside agent sessions",
    verbs: ["install", "uninstall", "begin", "report", "mcp", "hook"],
  },
];

export const isHelpTopic = (word: string): boolean => helpTopics.some(({ name }) => name === word);

/** Returns the help for a command, a topic or everything, or the overview. */
export function helpLines(word: string | undefined, isComplete: boolean): readonly string[] {
  const verb = word === undefined ? undefined : findVerb(word);
  if (verb !== undefined && !isHelpTopic(verb.name)) return verbHelp(verb);
  const topic = helpTopics.find(({ name }) => name === word);
  if (topic !== undefined) return [...topicRows(topic), ...(verb === undefined ? [] : ["", ...verbHelp(verb)])];
  return isComplete ? completeHelp() : overview;
}

/** The commands that most users need. Fits a terminal of 24 lines and 80 columns. */
export const overview: readonly string[] = [
  'Usage: isdlc "<change>"  or  isdlc <command> [options]',
  "",
  '  isdlc "<change>"    Plan, implement and review a change',
  '  feature "<title>"   Build a feature, from requirements to code review',
  '  fix "<title>"       Fix a bug, from reproduction to code review',
  "",
  "  status              Show the state of the run",
  "  gate                Show the open gate or question",
  "  continue            Accept the phase and continue",
  '  redo "<guidance>"   Redo the phase with guidance',
  "  resume              Continue an interrupted run",
  "  ui                  Open the web UI: read, comment and decide in the browser",
  "",
  "  init                Set up this project and list the installed agents",
  "  doctor              Diagnose this project and this machine",
  "  demo                Try the whole flow in a sample project",
  "",
  "More: isdlc help <command>, isdlc help --all, or isdlc help <topic>:",
  `  ${helpTopics.map(({ name }) => name).join(", ")}`,
];

function completeHelp(): string[] {
  return [
    'Usage: isdlc "<change>"  or  isdlc <command> [options]',
    "",
    ...helpTopics.flatMap((topic) => [...topicRows(topic), ""]),
    "Options of every command:",
    ...optionRows(globalOptions),
    "",
    "Exit codes: 0 done, 1 problem, 2 usage, 3 a person is needed, 130 and 143",
    "interrupted (continue with: isdlc resume).",
  ];
}

function topicRows({ title, verbs: names }: Topic): string[] {
  const rows = names.map((name) => ({
    left: name === "do" ? '"<change>"' : name,
    right: verbs.find((verb) => verb.name === name)?.summary ?? "",
  }));
  return [`${title}:`, ...columns(rows)];
}

export function verbHelp({ summary, usage, aliases = [], options }: Verb): string[] {
  const rows = optionRows(options);
  const others = aliases.length === 0 ? [] : [`Also: ${aliases.map((name) => `isdlc ${name}`).join(", ")}`];
  return [summary, "", ...wrap(`Usage: ${usage}`, "  "), ...others, ...(rows.length === 0 ? [] : ["", ...rows])];
}

function optionRows(options: Readonly<Record<string, Option>>): string[] {
  const rows = Object.entries(options).map(([name, option]) => ({
    left: formatOption(name, option),
    right: option.values === undefined ? option.about : `${option.about} (${option.values.join(", ")})`,
  }));
  return columns(rows);
}

export function formatOption(name: string, { short, value, type }: Option): string {
  const word = name.length === 1 ? `-${name}` : `${short === undefined ? "" : `-${short}, `}--${name}`;
  return type === "string" ? `${word} <${value ?? "value"}>` : word;
}

const MAX_COLUMNS = 80;
/** If the left column is longer, the right one starts on the next line. */
const MAX_LEFT_CHARS = 26;

function columns(rows: readonly { readonly left: string; readonly right: string }[]): string[] {
  const width = Math.min(MAX_LEFT_CHARS, Math.max(0, ...rows.map(({ left }) => left.length)));
  const indent = " ".repeat(width + 4);
  return rows.flatMap(({ left, right }) =>
    left.length > width
      ? [`  ${left}`, ...wrap(`${indent}${right}`, indent)]
      : wrap(`  ${left.padEnd(width)}  ${right}`, indent),
  );
}

/** Breaks a line at spaces, up to the first word that is longer than a line. */
function wrap(line: string, indent: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > MAX_COLUMNS) {
    const space = rest.lastIndexOf(" ", MAX_COLUMNS);
    if (space <= indent.length) break;
    lines.push(rest.slice(0, space).trimEnd());
    rest = `${indent}${rest.slice(space + 1).trimStart()}`;
  }
  return [...lines, rest];
}

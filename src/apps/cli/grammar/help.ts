import { verbs } from "./catalog.ts";
import { helpGroups } from "./help-groups.ts";
import { globalOptions } from "./options.ts";
import type { Option, Verb } from "./verb.ts";

/** The first lines somebody sees. */
export const firstLines: readonly string[] = [
  'isdlc "<what to do>"    plan, implement and review a change, then one gate',
  "isdlc demo              see the whole supervised flow in a sample project",
  "isdlc help              every verb",
];

export function overview(): string[] {
  const width = Math.max(...verbs.map(({ name }) => name.length));
  const summaries = new Map(verbs.map(({ name, summary }) => [name, summary]));
  const rows = helpGroups.flatMap((group) => [
    `${group.title}:`,
    ...group.verbs.map((name) => `  ${name.padEnd(width)}  ${summaries.get(name) ?? ""}`),
    "",
  ]);
  return [
    'Usage: isdlc "<what to do>" | isdlc <verb> [options]',
    "",
    ...rows,
    "Everywhere:",
    ...optionRows(globalOptions),
    "",
    "More: isdlc help <verb>. Exit codes: 0 done, 1 problem, 2 usage, 3 a person is needed,",
    "130 and 143 interrupted (Ctrl-C or SIGTERM): isdlc resume continues.",
  ];
}

export function verbHelp({ summary, usage, aliases = [], options }: Verb): string[] {
  const rows = optionRows(options);
  const others = aliases.length === 0 ? [] : [`Also: ${aliases.map((name) => `isdlc ${name}`).join(", ")}`];
  return [summary, "", `Usage: ${usage}`, ...others, ...(rows.length === 0 ? [] : ["", ...rows])];
}

function optionRows(options: Readonly<Record<string, Option>>): string[] {
  const rows = Object.entries(options).map(([name, option]) => ({
    left: spelling(name, option),
    about: option.about,
    values: option.values,
  }));
  const width = Math.max(0, ...rows.map(({ left }) => left.length));
  return rows.map(
    ({ left, about, values }) =>
      `  ${left.padEnd(width)}  ${about}${values === undefined ? "" : ` (${values.join(", ")})`}`,
  );
}

function spelling(name: string, { short, value, type }: Option): string {
  const word = name.length === 1 ? `-${name}` : `${short === undefined ? "" : `-${short}, `}--${name}`;
  return type === "string" ? `${word} <${value ?? "value"}>` : word;
}

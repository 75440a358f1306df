import { findVerb, verbs } from "../../src/surfaces/cli/grammar/catalog.ts";
import { formatOption, helpTopics } from "../../src/surfaces/cli/grammar/help.ts";
import { globalOptions } from "../../src/surfaces/cli/grammar/options.ts";
import type { Option, Verb } from "../../src/surfaces/cli/invocation/verb.ts";

/** Content of docs/reference/commands.md. */
export function commandsPage(): string {
  const sections = helpTopics.flatMap(({ title, verbs: names }) => [`## ${title}`, "", ...names.flatMap(commandLines)]);
  return [
    "# Commands",
    "",
    "Generated from the command catalog. `isdlc help <command>` prints the same text.",
    "",
    "Exit codes: 0 done, 1 problem, 2 usage, 3 a person is needed, 130 and 143 interrupted.",
    "",
    "Every command accepts these options:",
    "",
    ...optionTable(globalOptions),
    ...sections,
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function commandLines(name: string): string[] {
  const verb = name === "do" ? verbs[0] : findVerb(name);
  if (verb === undefined) throw new Error(`The catalog has no command "${name}".`);
  const options = Object.keys(verb.options).length === 0 ? [] : optionTable(verb.options);
  return [...commandHead(verb), "", ...options];
}

function commandHead({ name, summary, usage, aliases = [] }: Verb): string[] {
  const others = aliases.length === 0 ? "" : ` Also: ${aliases.map((alias) => `\`${alias}\``).join(", ")}.`;
  return [
    `### ${name === "do" ? 'isdlc "&lt;change&gt;"' : name}`,
    "",
    `${summary}.${others}`,
    "",
    "```text",
    usage,
    "```",
  ];
}

function optionTable(options: Readonly<Record<string, Option>>): string[] {
  const rows = Object.entries(options).map(([name, option]) => {
    const values = option.values === undefined ? "" : ` (${option.values.map((value) => `\`${value}\``).join(", ")})`;
    return `| \`${formatOption(name, option)}\` | ${escapeCell(option.about)}${values} |`;
  });
  return ["| option | does |", "|---|---|", ...rows, ""];
}

const escapeCell = (text: string): string => text.replaceAll("|", String.raw`\|`).replaceAll("<", "&lt;");

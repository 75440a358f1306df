import { type Column, COLUMNS, expected, type Outcome, type Rogue } from "./rogue.ts";

const INTRODUCTION = `# What a rogue agent can do

Every row is a small program that really runs as the agent (or as the reviewer) of a run in a real repository. The suite
first proves that the program did its deed, then judges what came of it. This page is written by that suite:
\`npx vitest run --project rogue\` checks it, with \`ROGUE_TABLE=write\` it writes it anew.

- **refused**: it was told no, and nothing happened.
- **ignored**: nothing happened.
- **detected**: something happened, and the person is shown it.
- **HOLE**: something happened, and nobody is told.

*plain* is isdlc without a [sandbox](sandbox.md), *strict* with agents in one. What holds is told for *plain*. In a sandbox a deed
is mostly *refused* by the file system: it is read-only there, or the file is not there at all; the program breaks down and
a person is asked. What hides in order to live on is *ignored*: it ends with the sandbox.
*guest* is a [session](sessions.md) that works on the run itself, without a sandbox: its model runs the same program with its
shell. The hooks of its product are left out here, as a program gets past them; a dash: a session has no such thing. What its
shell leaves behind is not ended by us, and lives on: what it writes is found when the person continues.

A row with a star is no confused agent any more but a hostile process with the user's own rights: it hides from us, or
reads and writes files that belong to the user. Without a sandbox, programs of the same user have no wall between them. Most
of it is still refused or shown; where the table says HOLE, only a sandbox, a container or another user account helps.
What is committed and merged is the tree that was shown, in every row: what git ignores is not in it, and new ignore rules
are told with what they hide.
What can be neither refused nor told, without a sandbox, is a hostile program that runs as you: it can read what you can
read, write into the memory and the files of your programs, and have your own terminal multiplexer type for you; as root
it can also change the settings of the kernel.
`;

export type Row = { readonly rogue: Rogue; readonly outcomes: Readonly<Record<Column, Outcome | null>> };

/** Every row as it should come out. */
export const promised = (rogues: readonly Rogue[]): readonly Row[] =>
  rogues.map((rogue) => ({
    rogue,
    outcomes: {
      plain: expected(rogue, "plain"),
      strict: expected(rogue, "strict"),
      guest: expected(rogue, "guest"),
    },
  }));

export function renderTable(rows: readonly Row[]): string {
  const sorted = rows.toSorted((one, other) => one.rogue.number - other.rogue.number);
  const lines = sorted.map(({ rogue: { number, does, holds, hostile }, outcomes }) => {
    const star = hostile === true ? String.raw`\*` : "";
    const told = COLUMNS.map((column) => loud(outcomes[column])).join(" | ");
    return `| ${number}${star} | ${cell(does)} | ${told} | ${cell(holds)} |`;
  });
  const head = [
    `| # | the agent … | ${COLUMNS.join(" | ")} | what holds, or where it is seen |`,
    `|---|---|${"---|".repeat(COLUMNS.length)}---|`,
  ];
  return `${INTRODUCTION}\n${[...head, ...lines].join("\n")}\n`;
}

const loud = (outcome: Outcome | null): string => (outcome === "HOLE" ? "**HOLE**" : (outcome ?? "–"));

const cell = (text: string): string => text.replaceAll("|", String.raw`\|`).replaceAll("__", String.raw`\_\_`);

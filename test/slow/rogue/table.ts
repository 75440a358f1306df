import { type Column, COLUMNS, expected, type Outcome, type Rogue } from "./rogue.ts";

const INTRODUCTION = `# What a rogue agent can do

This page shows which attacks of an agent isdlc refuses or reports, with and without a sandbox, and where its protection ends.

Each row is a program that runs as the agent, or as the reviewer, of a run in a real repository. The test suite first proves that the program carried out the attack, then checks the result. The suite also writes this page: \`npx vitest run --project rogue\` compares it with the results, and \`ROGUE_TABLE=write\` writes it again.

| result | meaning |
|---|---|
| **refused** | the program got an error, and the attack had no effect |
| **ignored** | the attack had no effect |
| **detected** | the attack had an effect, and the user sees it |
| **HOLE** | the attack had an effect, and the user does not see it |

| column | how the program runs |
|---|---|
| *plain* | as an agent without a [sandbox](sandbox.md). The last column of the table describes this case |
| *strict* | as an agent in a sandbox |
| *guest* | in the shell of a [session](sessions.md) that works on the run itself, without a sandbox. A dash marks attacks that a session cannot make |

- In the sandbox, the file system refuses most attacks: files are read-only or missing. The program then fails, and isdlc asks the user.
- If a process hides in the sandbox to outlive the agent, it ends with the sandbox. The result is *ignored*.
- The guest tests run without the hooks of the agent product, because a program can get past them.
- isdlc does not end processes left by the shell of a session. If they write files, isdlc finds the changes when the user continues.

## Hostile processes

A star marks a hostile process with the user's rights, as opposed to a confused agent. It hides from isdlc, or reads and writes files of the user.

- Without a sandbox, programs of the same user are not isolated from each other. Most of these attacks are still refused or detected. Against a HOLE, only a sandbox, a container or another user account helps.
- In all rows, isdlc commits and merges only the git tree shown at the gate. Ignored files are not in it. The gate lists new ignore rules with the files they hide.

Without a sandbox, isdlc can neither refuse nor detect these actions of a hostile program that runs as you:

- It can read all files that you can read.
- It can write to the memory and the files of your programs.
- It can type in your terminal multiplexer.
- As root, it can also change kernel settings.
- It can write your shell startup files and user services. With the setting \`watch-startup-files\`, the gate names them.

In a sandbox, agents and reviewers have a separate network with a proxy to hosts outside of this machine (\`network: forwarded\` at the gate). If their product may not work with it, they have the network of the user (\`network: shared\`), with local servers and abstract unix sockets ([sandbox](sandbox.md#network)). Tests in a sandbox have no network.

## Results
`;

export type Row = { readonly rogue: Rogue; readonly outcomes: Readonly<Record<Column, Outcome | null>> };

/** Every row with its expected results. */
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
    `| # | the agent … | ${COLUMNS.join(" | ")} | protection, or where the user sees it |`,
    `|---|---|${"---|".repeat(COLUMNS.length)}---|`,
  ];
  return `${INTRODUCTION}\n${[...head, ...lines].join("\n")}\n`;
}

const loud = (outcome: Outcome | null): string => (outcome === "HOLE" ? "**HOLE**" : (outcome ?? "–"));

const cell = (text: string): string => text.replaceAll("|", String.raw`\|`).replaceAll("__", String.raw`\_\_`);

import { createSandbox, type Sandbox } from "../../support/cli.ts";

const lines = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `export const ${name}${at + 1} = ${at + 1};\n`).join("");

export const RENAMED_FROM = "src/prices/a-file-with-a-rather-long-name-before-the-change.ts";
export const RENAMED_TO = "src/prices/discounts/a-file-with-a-rather-long-name-after-the-change.ts";

const SPACED = "export function one() {\n  return 1;\n}\n";

const PLAN = `# Plan

Prices are in cents.

The discount has a cap.
`;

/** A change with a long file, a renamed file, a file in the root folder and a finding, at the gate of its plan. */
export async function detailedChange(): Promise<Sandbox> {
  const kept = lines(12, "kept");
  const sandbox = await createSandbox({
    files: {
      "root.ts": "export const root = 1;\n",
      "src/a.ts": lines(8, "a"),
      "src/spaced.ts": SPACED,
      [RENAMED_FROM]: kept,
    },
  });
  const finding = { severity: "note", description: "Name the value.", location: "src/a.ts:3" };
  const implementation = {
    "root.ts": "export const root = 2;\n",
    "lib/z.ts": lines(3, "z"),
    "src/a.ts": lines(8, "a").replace("a3 = 3", "a3 = 33"),
    "src/long.ts": lines(400, "long"),
    "src/spaced.ts": SPACED.replace("  return", "    return"),
    [RENAMED_TO]: kept,
  };
  sandbox.plan({
    turns: {
      plan: [{ writes: { "{item}/plan.md": PLAN } }],
      implement: [
        { writes: implementation, removes: [RENAMED_FROM] },
        {
          writes: { "src/a.ts": lines(8, "a").replace("a3 = 3", "third = 3") },
          result: { replies: [{ id: "C1", did: "applied", text: "Renamed." }] },
        },
      ],
      "implement reviewer": [{ verdict: { approved: true, summary: "Good", issues: [finding] } }],
    },
  });
  await sandbox.person("config", "set", "redo.limit", "1");
  const started = await sandbox.script("Add discounts", "--supervised", ...sandbox.agent);
  if (started.code !== 3) throw new Error(`the run is not at its gate: ${started.stderr}`);
  return sandbox;
}

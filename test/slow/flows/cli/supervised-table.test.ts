import { expect, test } from "vitest";
import { loadWorkflow } from "../../../../src/adapters/project-files/definitions.ts";
import { createSandbox, type Json, parsed, type Sandbox } from "../../../support/cli.ts";

type Row = {
  readonly name: string;
  readonly workflow: string;
  /** Phases of this run, in order. */
  readonly phases: readonly string[];
  readonly args: readonly string[];
  readonly item?: string;
  readonly prepare?: (sandbox: Sandbox) => void;
};

const listPhaseKeys = (workflow: string): string[] => loadWorkflow(workflow).phases.map(({ key }) => key);
const analysis = loadWorkflow("feature").phases.flatMap(({ key, analysis: is }) => (is ? [key] : []));
const DOCUMENTS = ["brainstorm.md", "spec.md", "design.md", "plan.md", "tasks.md", "verification.md"];

/** A feature with every document, which allows every spec command. */
function prepareFeature(sandbox: Sandbox): void {
  const folder = "docs/features/001-cart";
  const meta = { id: "001", name: "Cart", mode: "standard", status: "active", currentPhase: "verify", phases: {} };
  sandbox.write(`${folder}/.meta.json`, JSON.stringify(meta));
  for (const name of DOCUMENTS) sandbox.write(`${folder}/${name}`, `# ${name}\n`);
  sandbox.git("add", "--all");
  sandbox.git("commit", "--quiet", "--message", "Feature");
}

const specVerb = (verb: string): Row => ({
  name: verb,
  workflow: "spec",
  phases: [verb],
  args: [verb, "001", "--yes"],
  prepare: prepareFeature,
});

const rows: readonly Row[] = [
  { name: "analyze", workflow: "feature", phases: analysis, args: ["analyze", "Sign in"], item: "sign-in" },
  { name: "build", workflow: "feature", phases: listPhaseKeys("feature"), args: ["build", "Sign in"] },
  { name: "feature", workflow: "feature", phases: listPhaseKeys("feature"), args: ["feature", "Sign in"] },
  { name: "fix", workflow: "fix", phases: listPhaseKeys("fix"), args: ["fix", "Wrong greeting"] },
  { name: "change", workflow: "change", phases: listPhaseKeys("change"), args: ["add a greeting"] },
  { name: "upgrade", workflow: "upgrade", phases: listPhaseKeys("upgrade"), args: ["run", "upgrade", "New library"] },
  { name: "test-run", workflow: "test-run", phases: listPhaseKeys("test-run"), args: ["run", "test-run", "All tests"] },
  {
    name: "test-generate",
    workflow: "test-generate",
    phases: listPhaseKeys("test-generate"),
    args: ["run", "test-generate", "More tests"],
  },
  ...listPhaseKeys("spec").map(specVerb),
];

const settings = [
  { kind: "every phase", block: { enabled: true }, gates: (keys: readonly string[]) => keys },
  {
    kind: "a list of which the workflow has nothing",
    block: { enabled: true, review_phases: ["77"] },
    gates: (keys: readonly string[]) => keys,
  },
  {
    kind: "the last phase only",
    block: (keys: readonly string[]) => ({ enabled: true, review_phases: [keys.at(-1)] }),
    gates: (keys: readonly string[]) => keys.slice(-1),
  },
  { kind: "disabled", block: { enabled: false }, gates: () => [] },
  { kind: "no block", block: undefined, gates: () => [] },
] as const;

/** Phases that always have a gate, whatever the settings. */
const ALWAYS = new Set(["final-review"]);

/** Continues at every gate until the run ends. Returns the phases that had one. */
async function runThroughGates(sandbox: Sandbox, { args, item }: Row): Promise<string[]> {
  const at = item === undefined ? [] : ["--item", item];
  const gates: string[] = [];
  let outcome: Json = parsed(await sandbox.script(...args, "--yes", "--json", ...sandbox.agent));
  for (let step = 0; step < 30 && outcome.run?.waiting; step++) {
    const { kind, id } = outcome.run.waiting;
    if (kind === "gate") gates.push(id.split("#")[0]);
    const answer = kind === "gate" ? ["continue"] : ["answer", "keep"];
    outcome = parsed(await sandbox.person(...answer, ...at, "--json"));
  }
  expect(outcome.run, JSON.stringify(outcome)).toMatchObject({ status: "completed" });
  return gates;
}

test("covers every workflow and every command of the spec workflow", () => {
  expect(new Set(rows.map(({ workflow }) => workflow))).toEqual(
    new Set(["change", "feature", "fix", "spec", "test-generate", "test-run", "upgrade"]),
  );
  expect(rows.filter(({ workflow }) => workflow === "spec")).toHaveLength(8);
});

const table = rows.flatMap((row) => settings.map((setting) => ({ ...row, ...setting })));

test.concurrent.each(table)(
  "stops $name with $kind exactly at the configured gates [SM-AC-01a, SM-AC-01b, SM-AC-01c, SM-AC-01d, SM-AC-01e]",
  async ({ block, gates, ...row }) => {
    const sandbox = await createSandbox();
    row.prepare?.(sandbox);
    const wanted = typeof block === "function" ? block(row.phases) : block;
    if (wanted !== undefined) sandbox.write(".isdlc/state.json", JSON.stringify({ supervised_mode: wanted }));
    const due = new Set(gates(row.phases));
    expect(await runThroughGates(sandbox, row)).toEqual(row.phases.filter((key) => due.has(key) || ALWAYS.has(key)));
  },
);

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Rule, ScriptedCall, Turn } from "../../stub-model/scenario.ts";

/** A project whose tests pass. */
export const PROJECT: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "src/greeting.js": "export const greeting = (name) => `Hello, ${name}!`;\n",
  "test/greeting.test.js": commaTest("greeting", "Hello, Ada!"),
};

export const FAREWELL = "export const farewell = (name) => `Goodbye, ${name}!`;\n";
const STILL_WRONG = "export const farewell = (name) => `Goodbye ${name}`;\n";

/** A key in the agent's output. It must not appear in any file. */
export const DUMMY_KEY = "sk-proj-dummy-0123456789abcdefghijklmnopqrstuvwxyz";

/** A file the reviewer tries to write. */
export const FORBIDDEN = "written-by-the-reviewer.txt";

export const GUIDANCE = "Name the module that says goodbye.";

const METRICS = { files_directly_affected: 9, modules_affected: 4, risk_level: "medium", blast_radius: "medium" };
const TASKS =
  "- [ ] T1: say goodbye\n  - files: src/farewell.js, test/farewell.test.js\n  - needs: none\n  - serves: R1\n";

type Phase = { readonly key: string; readonly outputs: readonly string[]; readonly reviewer: string | null };

export const PHASES = (
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../workflows/feature.json"), "utf8")) as {
    phases: readonly Phase[];
  }
).phases;

export type Manner = {
  /** Formats a path for this agent. */
  readonly at: (path: string) => string;
  /** True for an agent that overwrites a file only after reading it. */
  readonly readsFirst: boolean;
};

/** Model for the workflow "feature". The item's folder is known in advance, because it follows from the title. */
export function featureRules(item: string, { at, readsFirst }: Manner): Rule[] {
  const writes = (path: string, content: string): ScriptedCall => ({ write: { path: at(path), content } });
  const rewrites = (path: string, content: string): Turn[] => [
    ...(readsFirst ? [{ calls: [{ read: at(path) }] }] : []),
    { calls: [writes(path, content)] },
  ];
  return [
    {
      name: "reviewer",
      when: { system: "You judge the work of another agent" },
      turns: [
        { calls: [writes(FORBIDDEN, "mine"), { read: at("README.md") }] },
        { json: { approved: true, issues: [], summary: "The next phase can work from this." } },
      ],
    },
    {
      name: "analysed again",
      when: { prompt: `REDO GUIDANCE: ${GUIDANCE}` },
      turns: [...rewrites(`${item}/impact-analysis.md`, impact("src/farewell.js")), done("Named the module")],
    },
    {
      name: "tasks",
      when: { prompt: "Break the accepted design into tasks" },
      turns: [{ calls: [writes(`${item}/tasks.md`, TASKS)] }, done("One task")],
    },
    {
      name: "fixed",
      when: { prompt: "These checks failed on your work" },
      turns: [...rewrites("src/farewell.js", FAREWELL), done("The comma is there")],
    },
    ...PHASES.map((phase) => phaseRule(phase, item, writes)),
  ];
}

type Writes = (path: string, content: string) => ScriptedCall;

function phaseRule({ key, outputs }: Phase, item: string, writes: Writes): Rule {
  const artifacts = outputs.map((file) => `${item}/${file}`);
  const papers = artifacts.map((path) =>
    writes(path, path.endsWith("impact-analysis.md") ? impact("src") : `# ${key}\n`),
  );
  const code = [
    writes("src/farewell.js", STILL_WRONG),
    writes("test/farewell.test.js", commaTest("farewell", "Goodbye, Ada!")),
  ];
  return {
    name: key,
    when: { prompt: `${key} (` },
    turns: [
      { text: `The key is ${DUMMY_KEY}`, calls: key === "06-implementation" ? code : papers },
      done(`Did ${key} with ${DUMMY_KEY}`, { artifacts, decisions: [`${key} is resolved`] }),
    ],
  };
}

const impact = (where: string): string => `# Impact on ${where}\n\n\`\`\`json\n${JSON.stringify(METRICS)}\n\`\`\`\n`;

/** Every field is present, as the strict schema requires. */
const done = (summary: string, more: Readonly<Record<string, unknown>> = {}): Turn => ({
  json: { status: "done", summary, decisions: [], artifacts: [], questions: [], ...more },
});

function commaTest(name: string, expected: string): string {
  return `import assert from "node:assert/strict";
import test from "node:test";
import { ${name} } from "../src/${name}.js";

test("a ${name} has its comma", () => assert.equal(${name}("Ada"), "${expected}"));
`;
}

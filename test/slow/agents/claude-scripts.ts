import { join } from "node:path";
import type { Rule, ScriptedCall, Turn } from "../../stub-model/scenario.ts";

const greetingTest = (what: string, statement: string): string => `import assert from "node:assert/strict";
import test from "node:test";
import { greeting } from "../src/greeting.js";

test("${what}", () => ${statement});
`;

/** A project with a defect that no test shows yet. */
export const DEFECT: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ type: "module", scripts: { test: "node --test" } })}\n`,
  "src/greeting.js": "export const greeting = (name) => `Hello ${name}`;\n",
  "test/greeting.test.js": greetingTest("a greeting has its name", 'assert.match(greeting("Ada"), /Ada/)'),
};

export const FIXED = "export const greeting = (name) => `Hello, ${name}!`;\n";
const COMMA_TEST = greetingTest("a greeting has its comma", 'assert.equal(greeting("Ada"), "Hello, Ada!")');
const STILL_WRONG = "export const greeting = (name) => `Hello ${name}!`;\n";

/** A key in the agent's output. It must not appear in any file. */
export const DUMMY_KEY = "sk-ant-api03-dummy-0123456789abcdefghij";

/** A file the reviewer tries to write. */
export const FORBIDDEN = "written-by-the-reviewer.txt";

export const GUIDANCE = "Name the line that is wrong.";

/** Only this persona reviews others. */
export const IS_REVIEWER = "You judge the work of another agent";

const writes = (path: string, content: string): ScriptedCall => ({ write: { path, content } });

/** A file must be read before it is overwritten. */
const rewrites = (path: string, content: string): Turn[] => [
  { calls: [{ read: path }] },
  { calls: [writes(path, content)] },
];

const done = (summary: string, more: Readonly<Record<string, unknown>> = {}): Turn => ({
  json: { status: "done", summary, ...more },
});

/** Model for the workflow "fix". The item's folder is known in advance, because it follows from the title. */
export function fixRules(root: string, item: string): Rule[] {
  const artifact = (phase: string, file: string): Rule => ({
    name: phase,
    when: { prompt: `${phase} (` },
    turns: [
      { calls: [writes(join(root, item, file), `# ${phase}\n`)] },
      done(`Wrote ${file}`, { artifacts: [`${item}/${file}`], decisions: [`${phase} is resolved`] }),
    ],
  });
  return [
    reviewer(root),
    {
      name: "traced again",
      when: { prompt: `REDO GUIDANCE: ${GUIDANCE}` },
      turns: [...rewrites(join(root, item, "trace-analysis.md"), "# Line 1\n"), done("Named the line")],
    },
    {
      name: "01-requirements",
      when: { prompt: "01-requirements (" },
      turns: [
        { text: `The key is ${DUMMY_KEY}`, calls: [writes(join(root, item, "requirements-spec.md"), "# Spec\n")] },
        done(`Wrote it with ${DUMMY_KEY}`),
      ],
    },
    artifact("02-tracing", "trace-analysis.md"),
    artifact("05-test-strategy", "test-strategy.md"),
    ...implementation(root, "06-implementation"),
    artifact("16-quality-loop", "quality-report.md"),
    artifact("08-code-review", "code-review-report.md"),
  ];
}

/** Model for the workflow "change", whose documents are in a folder that is not known in advance. */
export function changeRules(root: string, folder: () => string): Rule[] {
  const artifact = (phase: string, file: string): Rule => ({
    name: phase,
    when: { prompt: `${phase} (` },
    turns: [
      {
        calls: [
          {
            get write() {
              return { path: join(root, folder(), file), content: `# ${phase}\n` };
            },
          },
        ],
      },
      done(`Wrote ${file}`),
    ],
  });
  return [
    reviewer(root),
    artifact("plan", "plan.md"),
    ...implementation(root, "implement"),
    artifact("final-review", "final-review.md"),
  ];
}

/** Reports done while its own test fails, then fixes it after the check. */
function implementation(root: string, phase: string): Rule[] {
  const file = join(root, "src/greeting.js");
  return [
    {
      name: "fixed",
      when: { prompt: "These checks failed on your work" },
      turns: [...rewrites(file, FIXED), done("The comma is there")],
    },
    {
      name: phase,
      when: { prompt: `${phase} (` },
      turns: [
        { calls: [writes(join(root, "test/comma.test.js"), COMMA_TEST)] },
        ...rewrites(file, STILL_WRONG),
        done("All tests pass"),
      ],
    },
  ];
}

/** A reviewer that tries to write, then approves. */
const reviewer = (root: string): Rule => ({
  name: "reviewer",
  when: { system: IS_REVIEWER },
  turns: [
    { calls: [writes(join(root, FORBIDDEN), "mine"), { read: join(root, "README.md") }] },
    { json: { approved: true, issues: [], summary: "The next phase can work from this." } },
  ],
});

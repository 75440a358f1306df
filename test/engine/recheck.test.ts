import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/core/command.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { recheck } from "../../src/engine/steps/checks.ts";
import type { CheckResult, FileChange, TestCommand } from "../../src/schema/facts.ts";
import {
  accepted,
  activeRun,
  advance,
  completed,
  everyPhase,
  keeps,
  openWait,
  phaseRule,
  result,
  startRun,
  ada,
  report,
} from "../support/run-builder.ts";
import type { PrepareRequest } from "../../src/ports/vcs.ts";
import { createPartialEngine } from "./step-ports.ts";

const TESTS: TestCommand = { argv: ["npm", "test"], source: "package.json", digest: "sha256:tests" };
const ITEM_FILE: FileChange = { path: "docs/requirements/say-hello/architecture.md", change: "modified" };
const CODE_FILE: FileChange = { path: "src/a.ts", change: "modified" };

type Found = {
  readonly edited?: readonly FileChange[] | null;
  readonly tests?: CheckResult;
  readonly trusted?: TestCommand | null;
  readonly isTestPhase?: boolean;
  readonly isPaused?: boolean;
  readonly hasGit?: boolean;
  readonly tree?: string | null;
};

type Rechecked = Extract<Outcome, { of: "recheck"; results: unknown }>;

/** The outcome of the recheck after Continue, and the commands that it ran. */
async function recheckWith(found: Found): Promise<{ outcome: Rechecked; ran: string[] }> {
  const { trusted = TESTS, isTestPhase = false, isPaused = false, hasGit = true } = found;
  const git = hasGit ? { branch: "feature/say-hello", base: "main", commit: "c0ffee" } : null;
  const player = startRun({ supervision: everyPhase, plan: [phaseRule({ tests: isTestPhase })], tests: trusted, git });
  advance(player, "complete");
  report(player, completed(keeps));
  const wait = openWait(player);
  const shown = wait.kind === "gate" ? wait.digest : "";
  if (isPaused) accepted(player, { do: "review", by: ada, wait: wait.id, shown });
  accepted(player, { do: "continue", by: ada, wait: wait.id, shown });
  const ran: string[] = [];
  const outcome = await recheck(enginePorts(found, ran), stepAt(player), new AbortController().signal);
  if (outcome === null || !("results" in outcome) || outcome.of !== "recheck") throw new Error("no recheck");
  return { outcome, ran };
}

const stepAt = (player: Parameters<typeof activeRun>[0]) =>
  ({ run: activeRun(player), step: "recheck", ticket: "" }) as const;

function enginePorts(found: Found, ran: string[]): Engine {
  const { edited = [], hasGit = true, tree = "tree-2" } = found;
  const tests = found.tests ?? result("tests", true);
  return createPartialEngine({
    workspace: {
      snapshot: () => Promise.resolve(tree),
      diff: () => Promise.resolve(edited),
      verify: () => Promise.resolve(),
      hidden: () => Promise.resolve([]),
    },
    vcs: hasGit ? gitPorts : null,
    gitPrograms: { leftOut: () => Promise.resolve([]) },
    traces: { left: () => Promise.resolve([]) },
    checks: {
      artifacts: () => {
        ran.push("artifacts");
        return Promise.resolve(result("artifacts", true));
      },
      detectTests: () => Promise.resolve({ command: found.trusted ?? TESTS, definition: [] }),
      runTests: ({ command }) => {
        ran.push(command.argv.join(" "));
        return Promise.resolve(tests);
      },
    },
    hash: (text) => `hash of ${text}`,
    redact: (text) => text.replaceAll("hunter22", "[secret]"),
    show: () => undefined,
  });
}

const gitPorts = {
  standing: () => Promise.resolve({ at: "refs/heads/feature/say-hello", tip: "c0ffee", base: null, settings: {} }),
  compose: () => Promise.resolve({ tree: "tree-c", mixed: [], unfiltered: [] }),
  commitsBetween: () => Promise.resolve([]),
  prepare: ({ tree }: PrepareRequest) => Promise.resolve({ commit: "c0de", tree, changes: [] }),
};

describe("recheck after Continue", () => {
  test("runs no check if the tree is the displayed one", async () => {
    const { outcome, ran } = await recheckWith({ edited: [] });
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ edited: [], tree: "tree-2", results: [] });
  });

  test.each<[string, Found, readonly string[]]>([
    ["runs the tests of a phase with tests", { edited: [ITEM_FILE], isTestPhase: true }, ["artifacts", "npm test"]],
    ["runs the tests if code was edited", { edited: [CODE_FILE] }, ["artifacts", "npm test"]],
    ["runs no tests if only a document was edited", { edited: [ITEM_FILE] }, ["artifacts"]],
    ["runs no tests without git and without a pause", { edited: null, hasGit: false, tree: null }, ["artifacts"]],
    [
      "runs the tests after a pause without git",
      { edited: null, hasGit: false, tree: null, isPaused: true },
      ["artifacts", "npm test"],
    ],
  ])("%s", async (_, found, expected) => {
    expect((await recheckWith(found)).ran).toEqual(expected);
  });

  test("lists every edited file as a failure, with escaped control characters", async () => {
    const odd: FileChange = { path: 'src/"\n.ts', change: "added" };
    const { outcome } = await recheckWith({ edited: [CODE_FILE, odd] });
    expect(outcome.results[0]).toMatchObject({
      ok: false,
      detail: 'Files changed after the summary:\nsrc/a.ts (modified)\nsrc/\\"\\n.ts (added)',
    });
  });

  test.each([
    { is: "fails if trusted tests could not be run", ok: null, trusted: TESTS, expected: false },
    { is: "passes if the tests pass", ok: true, trusted: TESTS, expected: true },
    { is: "has no result for tests that are not trusted", ok: null, trusted: null, expected: null },
  ])("$is", async ({ ok, trusted, expected }) => {
    const { outcome } = await recheckWith({ edited: [CODE_FILE], tests: result("tests", ok), trusted });
    expect(outcome.results.find(({ name }) => name === "tests")?.ok).toBe(expected);
  });

  test("fails if the snapshot of the gate is missing", async () => {
    await expect(recheckWith({ edited: null })).rejects.toThrow(/snapshot/);
  });

  test("redacts secrets in the results", async () => {
    const tests = { ...result("tests", false), detail: "password is hunter22" };
    const { outcome } = await recheckWith({ edited: [CODE_FILE], tests });
    expect(outcome.results.find(({ name }) => name === "tests")?.detail).toBe("password is [secret]");
  });

  test("returns a different digest for a different tree and for different failures", async () => {
    const digests = await Promise.all(
      [
        { edited: [CODE_FILE] },
        { edited: [CODE_FILE], tree: "tree-3" },
        { edited: [CODE_FILE], tests: result("tests", false) },
      ].map(async (found) => (await recheckWith(found)).outcome.digest),
    );
    expect(new Set(digests).size).toBe(3);
  });
});

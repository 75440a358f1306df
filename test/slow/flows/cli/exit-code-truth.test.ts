import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { createSandbox, type Sandbox } from "../../../support/cli.ts";

/** Failures while an answer is written, or after it. */
const failures: Readonly<Record<string, (sandbox: Sandbox) => void>> = {
  "how the agents are started is forgotten": ({ state }) => {
    for (const name of readdirSync(state)) if (name.startsWith("tree-")) rmSync(join(state, name));
  },
  "the summaries cannot be written": ({ root }) => inTheWay(join(root, ".isdlc/reviews")),
  "the projection cannot be written": ({ root }) => folderInPlace(join(root, ".isdlc/state.json")),
  "the marker cannot be written": ({ root }) => folderInPlace(join(root, ".isdlc/active")),
  "the transcripts cannot be written": ({ root }) => inTheWay(join(root, ".isdlc/runs")),
  "the lock of the driver cannot be taken": ({ root }) => folderInPlace(join(root, ".isdlc/driver")),
  "the repository is broken": ({ root }) => renameSync(join(root, ".git/HEAD"), join(root, ".git/HEAD.away")),
  "the commit cannot be made": ({ root }) => writeFileSync(join(root, ".git/index.lock"), ""),
  "the journal cannot be written": ({ root }) => folderInPlace(join(root, ".isdlc/lock")),
  "the anchor cannot be moved": ({ state }) => {
    for (const name of readdirSync(state)) if (/anchor|head/.test(name)) folderInPlace(join(state, name));
  },
};

function inTheWay(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, "");
}

function folderInPlace(file: string): void {
  rmSync(file, { recursive: true, force: true });
  mkdirSync(join(file, "inside"), { recursive: true });
}

const DECISIONS = /"(?:gate\.answered|run\.cancelled|run\.wentBack|phase\.restarted)"/g;

/** Reads the files directly instead of using isdlc. */
function answersIn({ root }: Sandbox): number {
  const folder = join(root, ".isdlc/journal");
  const texts = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  return texts.join("").match(DECISIONS)?.length ?? 0;
}

const seen = { recorded: 0, refused: 0, failedAfterwards: 0 };

test("exits with 0 or 3 if and only if the answer was recorded [R3]", async () => {
  const names = fc.subarray(Object.keys(failures), { minLength: 1, maxLength: 3 });
  const verbs = fc.constantFrom(
    ["continue"],
    ["redo", "Again"],
    ["cancel", "--reason", "x"],
    ["continue", "--no-run"],
    ["review"],
    ["fresh"],
  );
  const check = async (chosen: readonly string[], verb: readonly string[]): Promise<void> => {
    const sandbox = await createSandbox();
    await sandbox.script("add a greeting", "--review", "plan", ...sandbox.agent);
    const before = answersIn(sandbox);
    for (const name of chosen) failures[name]?.(sandbox);
    const { code, stdout, stderr } = await sandbox.person(...verb);
    const isRecorded = answersIn(sandbox) > before;
    const told = `${verb.join(" ")} with ${chosen.join(", ")}: exit ${code}\n${stdout}${stderr}`;
    expect([0, 3], told).toSatisfy((good: number[]) => good.includes(code ?? -1) === isRecorded);
    expect((stdout + stderr).includes("Nothing was recorded") && isRecorded, told).toBe(false);
    expect(stdout + stderr, told).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    seen[isRecorded ? "recorded" : "refused"]++;
    if (isRecorded && /Recorded\. The next step failed/.test(stdout)) seen.failedAfterwards++;
  };
  for (const name of Object.keys(failures)) await check([name], ["continue"]);
  await check(["how the agents are started is forgotten"], ["redo", "Again"]);
  await fc.assert(fc.asyncProperty(names, verbs, check), { numRuns: 10 });
  expect(seen.recorded).toBeGreaterThan(5);
  expect(seen.refused).toBeGreaterThan(0);
  expect(seen.failedAfterwards).toBeGreaterThan(1);
}, 300_000);

test.each([
  { what: "an accepted answer", verb: ["continue"], code: 3, answers: 1 },
  { what: "a rejected answer", verb: ["answer", "merge"], code: 1, answers: 0 },
])("exits with the right code if the output of $what cannot be written [R3]", async ({ verb, code, answers }) => {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const full = ["-c", 'exec "$0" "$@" > /dev/full', process.execPath, await builtProgram(), ...verb];
  const env = { ...sandbox.env, ISDLC_OPERATOR_TOKEN: sandbox.token };
  const { status, stderr } = spawnSync("sh", full, { cwd: sandbox.root, env, encoding: "utf8" });
  expect([status, answersIn(sandbox)], stderr).toEqual([code, answers]);
  expect(stderr.includes("Nothing was recorded") && answers > 0, stderr).toBe(false);
  expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
});

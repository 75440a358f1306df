import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../support/cli.ts";

/** Exit code if the run waits for the user. */
const WAITS = 3;

/** Records each folder that the program lists and each file that it opens. */
const COUNTER = `
if (process.argv[1]?.endsWith("isdlc.cjs")) {
  const fs = require("node:fs");
  const append = fs.appendFileSync;
  const noted = [];
  const noting = (holder, name) => {
    const call = holder[name];
    holder[name] = (path, ...rest) => {
      noted.push(name + " " + path);
      return call.call(holder, path, ...rest);
    };
  };
  for (const name of ["readdirSync", "openSync", "readFileSync"]) noting(fs, name);
  for (const name of ["readdir", "open", "readFile"]) noting(fs.promises, name);
  process.on("exit", () => append(process.env.ISDLC_TEST_NOTES, noted.join("\\n") + "\\n"));
}
`;

test("reads about as many files with 360 ended runs as with 60", async () => {
  const sandbox = await createSandbox();
  const counter = join(sandbox.base, "counter.cjs");
  writeFileSync(counter, COUNTER);
  const looksOfRun = async (title: string): Promise<number> => {
    const notes = join(sandbox.base, title);
    const env = { NODE_OPTIONS: `--require ${counter}`, ISDLC_TEST_NOTES: notes };
    const args = ["change", title, ...sandbox.agent, "--tests", "without", "--yes"];
    expect((await sandbox.start(args, env).ended).code).toBe(WAITS);
    expect((await sandbox.person("cancel", "--reason", "enough seen")).code).toBe(0);
    sandbox.git("switch", "--quiet", "main");
    return readFileSync(notes, "utf8")
      .split("\n")
      .filter((line) => line.includes("/.isdlc/")).length;
  };
  await looksOfRun("first");
  leaveRuns(sandbox, { from: 0, to: 60 });
  const afterSome = await looksOfRun("after-some");
  leaveRuns(sandbox, { from: 60, to: 360 });
  const afterHundreds = await looksOfRun("after-hundreds");
  expect(afterSome).toBeGreaterThan(50);
  // Each of the 300 runs would count if the program read its files.
  expect(afterHundreds - afterSome).toBeLessThan(50);
});

/** Writes the files of ended runs: transcripts, a history entry, a packed journal. */
function leaveRuns({ root }: Sandbox, { from, to }: { from: number; to: number }): void {
  const own = (...names: string[]): string => join(root, ".isdlc", ...names);
  mkdirSync(own("journal", "ended"), { recursive: true });
  for (let number = from; number < to; number++) {
    const run = `20260101-${String(number).padStart(9, "0")}-aaaa`;
    mkdirSync(own("runs", run), { recursive: true });
    for (let execution = 1; execution <= 20; execution++)
      writeFileSync(own("runs", run, `plan#1.${execution}.log`), "");
    writeFileSync(own("history", `${run}.json`), JSON.stringify({ id: run, type: "change", status: "completed" }));
    writeFileSync(own("journal", "ended", `${run}.jsonl.gz`), "");
  }
}

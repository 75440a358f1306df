import { expect, test } from "vitest";
import { lastWords } from "../../src/adapters/git/process/run-git.ts";

const failed = (stderr: string) => lastWords({ status: 1, stdout: Buffer.alloc(0), stderr });

test("shortens the output of git to the lines with the reason", () => {
  const noise = Array.from({ length: 200 }, (_, at) => `hint: line ${at} of advice`).join("\n");
  expect(failed(`${noise}\nerror: failed to push some refs to 'origin'\n${noise}`)).toBe(
    "error: failed to push some refs to 'origin'",
  );
});

test("keeps the message of a remote hook, without its progress", () => {
  const stderr = [
    "remote: Resolving deltas: 100% (2/2)",
    "remote: protected; ask ops",
    "remote: ",
    "To git@host:team/project.git",
    " ! [remote rejected] main -> main (pre-receive hook declined)",
    "error: failed to push some refs to 'git@host:team/project.git'",
  ];
  expect(failed(stderr.join("\n"))).toBe(
    "remote: protected; ask ops\n! [remote rejected] main -> main (pre-receive hook declined)\nerror: failed to push some refs to 'git@host:team/project.git'",
  );
});

test("keeps the end of a hook's output if git states no reason", () => {
  expect(failed("lint: 2 problems\nsrc/a.ts: unused\n")).toBe("lint: 2 problems\nsrc/a.ts: unused");
});

test("cuts a very long line", () => {
  expect(failed(`fatal: ${"x".repeat(8000)}`).length).toBe(300);
});

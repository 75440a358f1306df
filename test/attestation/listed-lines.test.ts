import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { encodeStatement } from "../../src/adapters/attestation/read-statement.ts";
import type { RunStatement } from "../../src/schema/attestation.ts";
import { signLine } from "./sign-in-process.ts";
import { createStudio, type Studio } from "./studio.ts";

const LINES = 1000;
const path = process.env["PATH"] ?? "";
afterEach(() => {
  process.env["PATH"] = path;
});

/** Puts programs that count their starts before git and ssh-keygen. */
function countStarts({ root }: Studio): () => Record<string, number> {
  const folder = join(root, "..", "bin");
  mkdirSync(folder);
  const log = (name: string): string => join(folder, `${name}.log`);
  for (const name of ["git", "ssh-keygen"]) {
    writeFileSync(log(name), "");
    const script = `#!/bin/sh\necho start >> "${log(name)}"\nPATH="${path}" exec ${name} "$@"\n`;
    writeFileSync(join(folder, name), script);
    chmodSync(join(folder, name), 0o755);
  }
  process.env["PATH"] = [folder, path].join(delimiter);
  return () =>
    Object.fromEntries(
      ["git", "ssh-keygen"].map((name) => {
        const starts = readFileSync(log(name), "utf8").split("\n").length - 1;
        writeFileSync(log(name), "");
        return [name, starts];
      }),
    );
}

const ofRun = (
  statement: RunStatement,
  index: number,
  change: (predicate: RunStatement["predicate"]) => Partial<RunStatement["predicate"]>,
): RunStatement => {
  const run = `20261101-101500123-${index.toString(36).padStart(4, "0")}`;
  const subject = statement.subject.map((one) => ({ ...one, name: one.name.replace(statement.predicate.run, run) }));
  return { ...statement, subject, predicate: { ...statement.predicate, run, ...change(statement.predicate) } };
};

type Make = (studio: Studio, index: number) => RunStatement;
const KINDS: Readonly<Record<string, Make>> = {
  "the same run at other times": ({ statement }, index) => ({
    ...statement,
    predicate: {
      ...statement.predicate,
      signedAt: new Date(Date.parse(statement.predicate.signedAt) + index * 1000).toISOString(),
    },
  }),
  "other runs with the same commits": ({ statement }, index) => ofRun(statement, index, () => ({})),
  "runs with commits that are missing": ({ statement }, index) => {
    const other = ofRun(statement, index, () => ({}));
    const id = (text: string): string => index.toString(16).padStart(4, "0").repeat(9) + text.padStart(4, "0");
    const subject = other.subject.map((one, at) => ({
      ...one,
      digest: { gitCommit: id(`${at}`), gitTree: id(`a${at}`) },
    }));
    const states = other.predicate.states.map((state, at) =>
      at === 0 ? state : { ...state, parents: [id(`${at - 1}`)] },
    );
    const phases = other.predicate.phases.map((phase) => ({
      ...phase,
      commit: null,
      tree: phase.tree === null ? null : id(`a${subject.length - 1}`),
    }));
    return { ...other, subject, predicate: { ...other.predicate, states, phases } };
  },
};

/** Lines that a listed signer can write, in any number. */
test.each(Object.keys(KINDS))("1,000 lines of a listed signer start no more programs than one: %s", async (kind) => {
  const studio = createStudio();
  studio.note("isdlc", await studio.sign(studio.statement), ...studio.made.map(({ commit }) => commit));
  const startsSince = countStarts(studio);
  await studio.verify("isdlc");
  const alone = startsSince();
  const handed = Array.from({ length: LINES }, (_, index) =>
    signLine(encodeStatement(KINDS[kind]?.(studio, index) ?? studio.statement), [studio.keys.ada]),
  );
  expect(new Set(handed).size).toBe(LINES);
  const { refused, violations } = await studio.verify("isdlc", { handed });
  expect([refused, violations]).toEqual([[], []]);
  const { git = 0, ...others } = startsSince();
  expect(alone["ssh-keygen"]).toBeGreaterThan(0);
  expect(others).toEqual({ "ssh-keygen": alone["ssh-keygen"] });
  expect(git).toBeLessThanOrEqual((alone["git"] ?? 0) + 1); // reads the named commits
});

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ExpectedCase, historyCases } from "../../../attestation/forgeries/all-cases.ts";
import type { CaseModel } from "../../../attestation/forgeries/case-model.ts";
import { type Keyring, makeKeyring, writeRepository } from "../../../attestation/forgeries/write-repository.ts";
import { builtProgram } from "../../../support/built-program.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";
import { ciFolder, githubStep, preReceive } from "../ci/shell-steps.ts";
import { readFileSync } from "node:fs";

const base = mkdtempSync(join(tmpdir(), "isdlc-entry-points-"));
const keyring: Keyring = makeKeyring(join(base, "keys"));
let env: Record<string, string> = {};
beforeAll(async () => {
  const program = await builtProgram();
  const home = join(base, "home");
  mkdirSync(home);
  env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    GIT_CONFIG_SYSTEM: "/dev/null",
    ISDLC: `${process.execPath} ${program}`,
    ISDLC_REMOTE: "",
  };
});
afterAll(() => removeTemporary(base));

type Place = { readonly root: string; readonly model: CaseModel };
type ScriptResult = { readonly status: number | null; readonly text: string };

const sh = (
  script: string,
  args: readonly string[],
  { cwd, input = "", more = {} }: { cwd: string; input?: string; more?: Record<string, string> },
): ScriptResult => {
  const file = join(base, "script.sh");
  writeFileSync(file, script);
  const ended = spawnSync("sh", [file, ...args], { cwd, input, env: { ...env, ...more }, encoding: "utf8" });
  return { status: ended.status, text: `${ended.stdout}${ended.stderr}` };
};

/** Verifies like a build server or a git server, with signers and policy of the base. */
const ENTRY_POINTS: Readonly<Record<string, (place: Place) => ScriptResult>> = {
  "verify-commits": ({ root, model }) =>
    sh(
      `exec $ISDLC verify-commits "$1..$2" --signers "$1:ci/allowed_signers" --policy "$1:ci/isdlc-policy.json"`,
      [model.base, model.head],
      { cwd: root },
    ),
  "verify.sh": ({ root, model }) =>
    sh(readFileSync(join(ciFolder, "verify.sh"), "utf8"), [model.base, model.head], { cwd: root }),
  "the pre-receive hook": ({ root, model }) =>
    sh(preReceive(), [], { cwd: root, input: `${model.base} ${model.head} refs/heads/main\n` }),
  "the Action": ({ root, model }) => {
    const { script, env: more } = githubStep({ base: model.base, head: model.head });
    const files = { GITHUB_OUTPUT: join(base, "output"), GITHUB_STEP_SUMMARY: join(base, "summary") };
    return sh(`set -eu\n${script}`, [], { cwd: root, more: { ...more, ...files, ISDLC_SARIF: join(base, "sarif") } });
  },
};

/** Clones every ref of the repository with the given options. */
function clone(root: string, ...args: readonly string[]): string {
  const place = join(root, "..", "clone");
  execFileSync("git", ["-C", root, "config", "uploadpack.allowFilter", "true"], { env });
  execFileSync("git", ["clone", "--quiet", ...args, `file://${root}`, place], { env });
  if (!args.includes("--mirror"))
    execFileSync(
      "git",
      ["-C", place, "fetch", "--quiet", "origin", "+refs/notes/*:refs/notes/*", "+refs/heads/*:refs/remotes/origin/*"],
      { env },
    );
  return place;
}

const CLONES: Readonly<Record<string, (root: string) => string>> = {
  full: (root) => root,
  bare: (root) => clone(root, "--mirror"),
  partial: (root) => {
    const place = clone(root, "--filter=blob:none", "--no-checkout");
    // Contents read by every verification. Others stay at the remote.
    for (const name of ["refs/remotes/origin/main:ci/isdlc-policy.json", "refs/remotes/origin/main:ci/allowed_signers"])
      execFileSync("git", ["-C", place, "cat-file", "blob", name], { env });
    spawnSync("git", ["-C", place, "log", "--patch", "refs/notes/isdlc"], { env });
    return place;
  },
};

/** The case with its policy and its list of signers on the base. */
function withFiles(digits: 40 | 64, index: number): ExpectedCase {
  const plain = historyCases(digits)[index];
  if (plain === undefined) throw new Error("there is no such case");
  const files = {
    "ci/allowed_signers": keyring.signersText,
    "ci/isdlc-policy.json": JSON.stringify(plain.model.policy),
    "ci/verify.sh": readFileSync(join(ciFolder, "verify.sh"), "utf8"),
  };
  return historyCases(digits, files)[index] ?? plain;
}

/** A policy in a commit cannot name this commit. */
const NAMES_COMMITS = ["revokedSigners", "repository"];
const usable = historyCases(40).flatMap(({ model: { name, policy }, code }, index) =>
  NAMES_COMMITS.some((rule) => rule in policy) ? [] : [{ name, code, index }],
);
const [names, clones] = [Object.keys(ENTRY_POINTS), Object.keys(CLONES)];
/** Each case uses the next entry point and kind of clone. */
const rows = usable.map((one, row) => ({
  ...one,
  verdict: one.code ?? "accepted",
  entryPoint: names[row % names.length] ?? "",
  kind: clones[row % clones.length] ?? "",
  digits: row % 5 === 0 ? (64 as const) : (40 as const),
}));

describe("forged histories in real repositories", () => {
  test.for(rows)(
    "verifies $name as $verdict ($entryPoint, $kind clone, $digits digits)",
    async ({ index, code, entryPoint, kind, digits }) => {
      const { model } = withFiles(digits, index);
      const folder = join(base, `case-${index}`);
      const { root } = await writeRepository(model, join(folder, "tree"), keyring);
      const ended = ENTRY_POINTS[entryPoint]?.({ root: CLONES[kind]?.(root) ?? root, model });
      const expected = code ?? "The policy is kept.";
      const isUnsure = kind === "partial" && ended?.text.includes("OBJECTS_MISSING") === true;
      expect([ended?.status, ended?.text]).toEqual([
        code === null && !isUnsure ? 0 : 1,
        expect.stringContaining(isUnsure ? "OBJECTS_MISSING" : expected),
      ]);
      removeTemporary(folder);
    },
  );

  test.for(names)("rejects a shallow clone of an accepted repository with %s", async (entryPoint) => {
    const { model } = withFiles(40, 0);
    const folder = join(base, `shallow-${names.indexOf(entryPoint)}`);
    const { root } = await writeRepository(model, join(folder, "tree"), keyring);
    expect(ENTRY_POINTS[entryPoint]?.({ root, model }).status).toBe(0);
    const shallow = clone(root, "--depth=2", "--branch=work");
    const ended = ENTRY_POINTS[entryPoint]?.({ root: shallow, model });
    expect([ended?.status, ended?.text]).toEqual([1, expect.stringMatching(/shallow|cannot be moved back/)]);
  });
});

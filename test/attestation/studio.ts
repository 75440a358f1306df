import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { encodeEnvelope, signedBytes } from "../../src/adapters/attestation/dsse.ts";
import { historyGit } from "../../src/adapters/attestation/history-git.ts";
import { withIsolatedGit } from "../../src/adapters/attestation/isolated-git.ts";
import { encodeStatement } from "../../src/adapters/attestation/read-statement.ts";
import { signWithSsh } from "../../src/adapters/attestation/ssh-signature.ts";
import { type RangeVerification, verifyRange } from "../../src/adapters/attestation/verify-range.ts";
import { PREDICATE_TYPE, type RunStatement, STATEMENT_TYPE } from "../../src/schema/attestation.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/schema/policy.ts";
import { type Key, makeKey } from "./keys.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

export type Commit = { readonly commit: string; readonly tree: string };

/** A real repository, real keys, and a true statement about its commits, as a base for forgeries. */
export type Studio = {
  readonly root: string;
  readonly keys: Readonly<Record<"ada" | "ben" | "mallory", Key>>;
  readonly start: Commit;
  /** Two commits of a run, on the branch `work`. */
  readonly made: readonly [Commit, Commit];
  readonly statement: RunStatement;
  git(...args: string[]): string;
  /** A tree of these blobs. */
  tree(files: Readonly<Record<string, string>>): string;
  /** A new commit on a parent; the file's text determines its tree. */
  commit(on: string, text: string, message?: string): Commit;
  sign(statement: RunStatement | Buffer, key?: Key): Promise<string>;
  /** Notes a line for objects under a separate ref, with git itself. */
  note(ref: string, line: string, ...objects: string[]): void;
  signers(name: string, ...lines: string[]): string;
  verify(
    ref: string,
    options?: { signers?: string; range?: string; handed?: readonly string[]; policy?: Policy },
  ): Promise<RangeVerification>;
};

const RUN = "20261101-101500123-k3f9";
const made: string[] = [];
afterAll(() => {
  for (const base of made) removeTemporary(base);
});

export function createStudio(): Studio {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-studio-")));
  made.push(base);
  const root = join(base, "tree");
  const keys = {
    ada: makeKey(join(base, "keys"), "ada"),
    ben: makeKey(join(base, "keys"), "ben"),
    mallory: makeKey(join(base, "keys"), "mallory"),
  };
  const git = gitIn(root, base);
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", root]);
  const tree = (files: Readonly<Record<string, string>>): string => {
    const input = Object.entries(files).map(([name, blob]) => `100644 blob ${blob}\t${name}\n`);
    return execFileSync("git", ["mktree"], { cwd: root, input: input.join(""), encoding: "utf8" }).trim();
  };
  const commit = (on: string, text: string, message = "Work"): Commit => {
    const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], {
      cwd: root,
      input: text,
      encoding: "utf8",
    }).trim();
    const content = tree({ "file.txt": blob });
    return { commit: git("commit-tree", content, ...(on === "" ? [] : ["-p", on]), "-m", message), tree: content };
  };
  const start = commit("", "start\n");
  const first = commit(start.commit, "first\n", `Plan\n\nIsdlc-Attempt: ${RUN}/plan#1`);
  const second = commit(first.commit, "second\n", `Implement\n\nIsdlc-Attempt: ${RUN}/implement#1`);
  git("update-ref", "refs/heads/main", start.commit);
  git("update-ref", "refs/heads/work", second.commit);
  const signers = (name: string, ...lines: string[]): string => {
    const file = join(base, name);
    writeFileSync(file, `${lines.join("\n")}\n`);
    return file;
  };
  const known = signers("allowed_signers", `ada@example.org ${keys.ada.public}`, `ben@example.org ${keys.ben.public}`);
  return {
    root,
    keys,
    start,
    made: [first, second],
    statement: trueStatement(start, [first, second]),
    git,
    tree,
    commit,
    signers,
    async sign(statement, key = keys.ada) {
      const payload = Buffer.isBuffer(statement) ? statement : encodeStatement(statement);
      const signature = await signWithSsh(signedBytes(payload), { is: "file", path: key.file });
      return encodeEnvelope({ payload, signatures: [signature] });
    },
    note(ref, line, ...objects) {
      const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: root, input: line, encoding: "utf8" });
      for (const object of objects) git("notes", `--ref=${ref}`, "add", "-f", "-C", blob.trim(), object);
    },
    async verify(ref, { signers: file = known, range = "main..work", handed = [], policy = DEFAULT_POLICY } = {}) {
      const history = await historyGit(root, process.env);
      const request = { named: range, policy, notes: `refs/notes/${ref}`, handed, signers: file, now: Date.now() };
      return withIsolatedGit(history, (git) => verifyRange(git, request));
    },
  };
}

function gitIn(cwd: string, base: string) {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: base,
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
    GIT_COMMITTER_DATE: "2026-11-01T11:00:00Z",
    GIT_AUTHOR_DATE: "2026-11-01T11:00:00Z",
  };
  return (...args: string[]): string =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** The statement that the journal of the run would yield. */
function trueStatement(start: Commit, [first, second]: readonly [Commit, Commit]): RunStatement {
  const ada = { name: "Ada", channel: "terminal" } as const;
  const usage = { input: 1200, output: 300, usd: 0.02 };
  const phase = (key: string, { commit, tree }: Commit): RunStatement["predicate"]["phases"][number] => ({
    key,
    persona: "d".repeat(64),
    status: "completed",
    attempts: 1,
    redos: 0,
    executions: 2,
    failedChecks: 0,
    checks: [{ name: "tests", ok: true, counts: { passed: 214, failed: 0, skipped: 1 }, ranAs: "sandbox" }],
    reviews: [{ attempt: 1, reviewer: "codex", approved: true, open: { blocker: 0, warning: 0, note: 1 } }],
    gates: [
      {
        wait: `${key}#1/gate-12`,
        by: ada,
        decision: "continue",
        shown: "e".repeat(64),
        tree,
        at: "2026-11-01T10:40:00.000Z",
        suspicious: false,
      },
    ],
    accepted: { by: ada, at: "2026-11-01T10:41:00.000Z" },
    tree,
    commit,
    usage,
  });
  return {
    _type: STATEMENT_TYPE,
    subject: [
      { name: `${RUN}/plan#1`, digest: { gitCommit: first.commit, gitTree: first.tree } },
      { name: `${RUN}/implement#1`, digest: { gitCommit: second.commit, gitTree: second.tree } },
    ],
    predicateType: PREDICATE_TYPE,
    predicate: {
      isdlc: "1.0.0",
      run: RUN,
      workflow: "change",
      plan: "f".repeat(64),
      item: `.isdlc/work/${RUN}`,
      options: { mode: "standard", light: false, commits: "phase" },
      supervision: { enabled: true, phases: "all" },
      startedBy: ada,
      startedAt: "2026-11-01T10:15:00.123Z",
      sealedAt: null,
      endedAt: "2026-11-01T11:00:00.000Z",
      finish: "keep",
      git: { branch: "work", base: "main", start, others: [] },
      states: [
        { is: "phase", parents: [start.commit] },
        { is: "phase", parents: [first.commit] },
      ],
      sandbox: true,
      tests: { digest: "a".repeat(64) },
      agents: [{ role: "phase", phase: null, name: "claude", digest: "b".repeat(64), model: "opus", version: "2.1.0" }],
      phases: [phase("plan", first), phase("implement", second)],
      overruled: [],
      usage,
      journal: { seq: 48, hash: "c".repeat(64) },
      signedAt: "2026-11-01T11:00:05.000Z",
    },
  };
}

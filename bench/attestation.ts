import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { encodeEnvelope, signedBytes } from "../src/adapters/attestation/dsse.ts";
import { addNotes } from "../src/adapters/attestation/git-notes.ts";
import { historyGit } from "../src/adapters/attestation/history-git.ts";
import { encodeStatement } from "../src/adapters/attestation/read-statement.ts";
import { signWithSsh } from "../src/adapters/attestation/ssh-signature.ts";
import { buildStatement, type GitPoint } from "../src/core/attestation/statement.ts";
import { decide } from "../src/core/decide/decide.ts";
import { evolve } from "../src/core/evolve/evolve.ts";
import { type ActiveRun, noRun } from "../src/core/run.ts";
import { signLine } from "../test/attestation/sign-in-process.ts";
import type { Settings } from "./benches.ts";
import { newRepository, type BenchRepository } from "./git-place.ts";
import { interleave, least, timedWithChildren } from "./measure.ts";
import { averagedRatios, type ReportLine, milliseconds } from "./report.ts";
import { opened, runId, startCommand } from "./sample-run.ts";

const COMMITS = 200;
const STATEMENTS = 20;
const JUNK_LINES = 1000;
const execute = promisify(execFile);

/** Measures verifying a branch, compared to git verifying the signatures of its commits. */
export async function measureAttestation({ root, scratch, program, quick }: Settings): Promise<readonly ReportLine[]> {
  const repository = newRepository(scratch, "attestation", 20);
  const { tree, env, git } = repository;
  const key = makeKey(scratch, "key");
  listSigner(scratch, key);
  const start = pointAt(repository, "HEAD");
  const commits = signedCommits(repository, start, key);
  git("update-ref", "refs/heads/work", commits.at(-1)?.commit ?? "");
  const run = runId(1);
  const begun = decide(noRun, startCommand(root, run));
  if (!begun.ok) throw new Error("the run was refused");
  const at = "2026-11-01T10:15:00.000Z";
  const state = opened(begun.events.map((event, index) => ({ ...event, seq: index + 1, at })).reduce(evolve, noRun));
  const signing = { state, start, commits, key };
  for (let number = 0; number < STATEMENTS; number++) await sign(tree, { ...signing, number });
  const junk = join(scratch, "junk");
  writeFileSync(junk, junkLines(signing, makeKey(scratch, "stranger")).join("\n"));
  const signers = join(scratch, "allowed_signers");
  const listed = ["-c", "gpg.format=ssh", "-c", `gpg.ssh.allowedSignersFile=${signers}`];
  const args = [program(), "verify-commits", "main..work", "--signers", signers, "--json"];
  const verify = async (call: readonly string[]): Promise<void> => {
    const { stdout } = await execute(process.execPath, call, { cwd: tree, env, maxBuffer: 64 * 1024 * 1024 });
    if (!stdout.startsWith('{"ok":true')) throw new Error("not every commit was covered");
  };
  const samples = await interleave(quick ? 3 : 10, {
    git: () =>
      timedWithChildren(async () => {
        const { stdout } = await execute("git", [...listed, "log", "--show-signature", "main..work"], {
          cwd: tree,
          env,
        });
        if (stdout.split('Good "git" signature').length !== COMMITS + 1) throw new Error("git did not verify them all");
      }),
    verify: () => timedWithChildren(() => verify(args)),
    junk: () => timedWithChildren(() => verify([...args, "--statements", junk])),
  });
  return [
    {
      what: `verifying ${COMMITS} commits and ${STATEMENTS} statements`,
      base: `git log --show-signature, min ${milliseconds(least(samples.git.wall))}`,
      figures: averagedRatios({ of: samples.verify, to: samples.git }),
      goal: 2,
      unit: "x",
    },
    {
      what: `added by ${JUNK_LINES} lines: half of strangers, half of a listed key`,
      base: `the same without them, min ${milliseconds(least(samples.verify.wall))}`,
      figures: [{ name: "min wall", value: least(samples.junk.wall) - least(samples.verify.wall) }],
      goal: 1000,
      unit: " ms",
    },
  ];
}

function makeKey(scratch: string, name: string): string {
  const folder = join(scratch, "keys");
  mkdirSync(folder, { mode: 0o700, recursive: true });
  const file = join(folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file]);
  return file;
}

function listSigner(scratch: string, key: string): void {
  const line = execFileSync("ssh-keygen", ["-y", "-f", key], { encoding: "utf8" }).trim();
  writeFileSync(join(scratch, "allowed_signers"), `bench@example.org ${line}\n`);
}

const pointAt = ({ git }: BenchRepository, name: string): GitPoint => ({
  commit: git("rev-parse", name),
  tree: git("rev-parse", `${name}^{tree}`),
});

function signedCommits({ tree, env, git }: BenchRepository, start: GitPoint, key: string): GitPoint[] {
  const commits: GitPoint[] = [];
  for (let number = 0; number < COMMITS; number++) {
    const hash = ["hash-object", "-w", "--stdin"];
    const blob = execFileSync("git", hash, { cwd: tree, env, input: `${number}\n`, encoding: "utf8" }).trim();
    const entry = `100644 blob ${blob}\tfile.txt\n`;
    const content = execFileSync("git", ["mktree"], { cwd: tree, env, input: entry, encoding: "utf8" }).trim();
    const signing = ["-c", "gpg.format=ssh", "-c", `user.signingkey=${key}`, "commit-tree", "-S"];
    const parent = commits.at(-1)?.commit ?? start.commit;
    commits.push({ commit: git(...signing, content, "-p", parent, "-m", `Work ${number}`), tree: content });
  }
  return commits;
}

type Signing = {
  readonly state: ActiveRun;
  readonly number: number;
  readonly start: GitPoint;
  readonly commits: readonly GitPoint[];
  readonly key: string;
  /** Version of isdlc. Any other than 1.0.0 makes the statement one of another run. */
  readonly version?: string;
};

/** Signs one attestation that covers its share of the commits. */
async function sign(tree: string, signing: Signing): Promise<void> {
  const { payload, objects } = buildShare(signing);
  const signature = await signWithSsh(signedBytes(payload), { is: "file", path: signing.key });
  const line = encodeEnvelope({ payload, signatures: [signature] });
  await addNotes(await historyGit(tree, process.env), { objects, line });
}

/** Lines about the same commits: half of a key that is not listed, half of a listed key for other runs. */
function junkLines(signing: Omit<Signing, "number">, stranger: string): string[] {
  return Array.from({ length: JUNK_LINES }, (_, index) => {
    const { payload } = buildShare({ ...signing, number: index % STATEMENTS, version: `${index}` });
    return signLine(payload, [{ file: index % 2 === 0 ? signing.key : stranger, public: "" }]);
  });
}

function buildShare({ state, number, start, commits, version = "1.0.0" }: Signing) {
  const size = COMMITS / STATEMENTS;
  const own = commits.slice(number * size, (number + 1) * size);
  const isJunk = version !== "1.0.0";
  const run = `20261101-101500123-${isJunk ? "c" : "b"}${(isJunk ? Number(version) : number).toString(36).padStart(3, "0")}`;
  const built = buildStatement({
    state: { ...state, run: { ...state.run, run } },
    events: [],
    journal: { seq: 1, hash: "0".repeat(64) },
    branch: {
      start: commits[number * size - 1] ?? start,
      commits: own.map((point, index) => ({
        ...point,
        parents: [own[index - 1]?.commit ?? (commits[number * size - 1] ?? start).commit],
        attempt: `${run}/implement#${index + 1}`,
      })),
      others: [],
      merge: null,
    },
    signedAt: new Date().toISOString(),
    version,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    portable: () => null,
  });
  const at = built.predicate.startedAt;
  const accepted = {
    status: "completed" as const,
    accepted: { by: "engine" as const, at },
    tree: own.at(-1)?.tree ?? null,
  };
  const [first, ...others] = built.predicate.phases.toReversed();
  const phases = first === undefined ? [] : [...others.toReversed(), { ...first, ...accepted }];
  const predicate = { ...built.predicate, phases, endedAt: built.predicate.signedAt, finish: "keep" as const };
  const payload = encodeStatement({ ...built, predicate });
  return { payload, objects: own.flatMap((point) => [point.commit, point.tree]) };
}

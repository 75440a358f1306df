import type { RunStatement } from "../../../src/schema/attestation.ts";
import type { RepositoryModel } from "./repository-model.ts";

/** Keys in the tests. `mallory` is on no list of signers. */
export type KeyName = "ada" | "ben" | "server" | "mallory";
export const LISTED: readonly KeyName[] = ["ada", "ben", "server"];
export const signerName = (key: KeyName): string => `${key}@example.org`;

/** A line of the notes: payload and signers. */
export type LineModel = {
  readonly payload: string;
  readonly keys: readonly KeyName[];
  /** True if the signatures cover something else. */
  readonly isForged?: boolean;
  /** Owner of the passkey that signed every gate; "forged" for a wrong signature. */
  readonly passkey?: KeyName | "forged";
  /** True if the envelope is not canonical. */
  readonly isMalformed?: boolean;
};

/** One verification as data. */
export type CaseModel = {
  readonly name: string;
  readonly repository: RepositoryModel;
  /** Commits whose objects are missing in the clone. */
  readonly missing: ReadonlySet<string>;
  readonly base: string;
  readonly head: string;
  readonly lines: readonly LineModel[];
  /** JSON of the policy. `KEY:<name>` stands for the fingerprint of a key. */
  readonly policy: Readonly<Record<string, unknown>>;
};

export type StateModel = {
  readonly name: string;
  readonly is: RunStatement["predicate"]["states"][number]["is"];
  readonly commit: string;
};

export type RunModel = {
  readonly run: string;
  readonly start: string;
  readonly states: readonly StateModel[];
  readonly others?: readonly string[];
  readonly item?: string;
};

const WHO = { name: "Ada", channel: "terminal" } as const;
const USAGE = { input: null, output: null, usd: null };
const AT = "2026-11-01T10:40:00.000Z";

/** The statement of a run in which each phase was accepted at a gate. */
export function statementOf(repository: RepositoryModel, model: RunModel): RunStatement {
  const { run, start, states, others = [], item = `docs/requirements/${run}` } = model;
  const point = (commit: string) => ({ commit, tree: repository.treeOf(commit) });
  const phase = ({ name, commit }: StateModel, index: number): RunStatement["predicate"]["phases"][number] => ({
    key: `0${index + 1}-${name.split("/")[1]?.split("#")[0] ?? "x"}`,
    persona: "d".repeat(64),
    status: "completed",
    attempts: 1,
    redos: 0,
    executions: 1,
    failedChecks: 0,
    checks: [{ name: "tests", ok: true, counts: null, ranAs: "sandbox" }],
    reviews: [],
    gates: [
      {
        wait: `${name}/gate`,
        by: WHO,
        decision: "continue",
        shown: "e".repeat(64),
        tree: repository.treeOf(commit),
        at: AT,
        suspicious: false,
      },
    ],
    accepted: { by: WHO, at: AT },
    tree: repository.treeOf(commit),
    commit,
    usage: USAGE,
  });
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: states.map(({ name, commit }) => ({
      name,
      digest: { gitCommit: commit, gitTree: repository.treeOf(commit) },
    })),
    predicateType: "urn:isdlc:attestation:run:v1",
    predicate: {
      isdlc: "1.0.0",
      run,
      workflow: "feature",
      plan: "f".repeat(64),
      item,
      options: { mode: "standard", light: false, commits: "phase" },
      supervision: { enabled: true, phases: "all" },
      startedBy: WHO,
      startedAt: "2026-11-01T10:15:00.123Z",
      sealedAt: null,
      endedAt: "2026-11-01T11:00:00.000Z",
      finish: "keep",
      git: { branch: "work", base: "main", start: point(start), others: others.map(point) },
      states: states.map(({ is, commit }) => ({ is, parents: [...(repository.commits.get(commit)?.parents ?? [])] })),
      sandbox: true,
      tests: null,
      agents: [],
      phases: states.filter(({ is }) => is === "phase").map(phase),
      overruled: [],
      usage: USAGE,
      journal: { seq: 48, hash: "c".repeat(64) },
      signedAt: "2026-11-01T11:00:05.000Z",
    },
  };
}

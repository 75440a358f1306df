import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type CaseSource, caseSources } from "../../../attestation/forgeries/all-cases.ts";
import type { CaseModel } from "../../../attestation/forgeries/case-model.ts";
import { makeKeyring, writeRepository } from "../../../attestation/forgeries/write-repository.ts";
import { ancestors } from "../../../attestation/forgeries/simple-merge.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";
import { ciFolder, githubStep, preReceive } from "../ci/shell-steps.ts";

const execute = promisify(execFile);
type Environment = Readonly<Record<string, string>>;
export type ProgramResult = { readonly status: number | null; readonly text: string };
type Place = { readonly root: string; readonly model: CaseModel };
type Call = {
  readonly script: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly more?: Environment;
};

/** How a build server or a git server verifies: with signers and policy of the base. */
const ENTRY_POINTS = {
  "verify-commits": ({ model }: Place): Call => ({
    script: `exec $ISDLC verify-commits "$1..$2" --signers "$1:ci/allowed_signers" --policy "$1:ci/isdlc-policy.json"`,
    args: [model.base, model.head],
  }),
  "verify.sh": ({ model }: Place): Call => ({
    script: readFileSync(join(ciFolder, "verify.sh"), "utf8"),
    args: [model.base, model.head],
  }),
  "the pre-receive hook": ({ model }: Place): Call => ({
    script: preReceive(),
    args: [],
    input: `${model.base} ${model.head} refs/heads/main\n`,
  }),
  "the Action": ({ root, model }: Place): Call => {
    const { script, env } = githubStep({ base: model.base, head: model.head });
    const at = (name: string): string => join(root, "..", name);
    const files = { GITHUB_OUTPUT: at("output"), GITHUB_STEP_SUMMARY: at("summary") };
    return { script: `set -eu\n${script}`, args: [], more: { ...env, ...files, ISDLC_SARIF: at("sarif") } };
  },
} as const;
export type EntryPoint = keyof typeof ENTRY_POINTS;
export const ENTRY_POINT_NAMES = Object.keys(ENTRY_POINTS) as EntryPoint[]; // the keys of a constant

export const CLONE_KINDS = ["full", "bare", "partial", "shallow"] as const;
export type CloneKind = (typeof CLONE_KINDS)[number];

export type Row = {
  readonly source: CaseSource;
  readonly entryPoint: EntryPoint;
  readonly kind: CloneKind;
  readonly digits: 40 | 64;
};

/** Cases for real repositories: a policy in a commit cannot name this commit. */
const realSources = (): CaseSource[] =>
  caseSources().filter(({ build }) => {
    const { policy } = build(40);
    return !("revokedSigners" in policy || "repository" in policy);
  });

const DIGITS = [40, 64] as const;
const isThorough = (kind: CloneKind): boolean => kind !== "shallow";

/** Each case at each entry point, in each kind of clone and with both kinds of ids. */
export const allRows = (): Row[] =>
  realSources().flatMap((source) =>
    ENTRY_POINT_NAMES.flatMap((entryPoint) =>
      CLONE_KINDS.flatMap((kind) => DIGITS.map((digits) => ({ source, entryPoint, kind, digits }))),
    ),
  );

/**
 * Each case once, with one of its landings, and each combination as often as the others. A shallow clone is refused
 * whatever is in it: one accepted case for each combination is enough.
 */
export function someRows(): Row[] {
  const places = ENTRY_POINT_NAMES.flatMap((entryPoint) =>
    CLONE_KINDS.flatMap((kind) => DIGITS.map((digits) => ({ entryPoint, kind, digits }))),
  );
  const thorough = places.filter(({ kind }) => isThorough(kind));
  const sources = realSources();
  const [accepted] = sources.filter(({ code }) => code === null);
  const landing = (name: string): number =>
    [", as it is", ", merged", ", squashed"].findIndex((how) => name.endsWith(how));
  const kept = sources.filter(({ name }, index) => landing(name) === -1 || landing(name) === Math.floor(index / 3) % 3);
  const rows = kept.flatMap((source, index) => {
    const place = thorough[(index * 7) % thorough.length];
    return place === undefined ? [] : [{ source, ...place }];
  });
  const shallow = places.filter(({ kind }) => !isThorough(kind));
  return [...rows, ...(accepted === undefined ? [] : shallow.map((place) => ({ source: accepted, ...place })))];
}

export type Stage = {
  /** Outcome of a row; null if it is as expected. */
  readonly check: (row: Row) => Promise<string | null>;
};

/** Prepares an environment without settings of the user, and a program to run. */
export function createStage(base: string, program: string): Stage {
  const keyring = makeKeyring(join(base, "keys"));
  const home = join(base, "home");
  mkdirSync(home, { recursive: true });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    GIT_CONFIG_SYSTEM: "/dev/null",
    ISDLC: `${process.execPath} ${program}`,
    ISDLC_REMOTE: "",
  };
  let number = 0;
  return {
    async check(row) {
      const { source, entryPoint, kind, digits } = row;
      const folder = join(base, `case-${++number}`);
      const files = {
        "ci/allowed_signers": keyring.signersText,
        "ci/isdlc-policy.json": JSON.stringify(source.build(digits).policy),
        "ci/verify.sh": readFileSync(join(ciFolder, "verify.sh"), "utf8"),
      };
      const model = source.build(digits, files);
      const { root } = writeRepository(model, join(folder, "tree"), keyring);
      const place = await makeClone(root, kind, env);
      const call = ENTRY_POINTS[entryPoint]({ root, model });
      const ended = await runShell(call, { cwd: place, env, script: join(folder, "script.sh") });
      removeTemporary(folder);
      return isRewind(row, model) ? rewindDifference(ended) : differenceIn(row, ended);
    },
  };
}

/** The repository itself, or another kind of clone with every ref of it. */
async function makeClone(root: string, kind: CloneKind, env: Environment): Promise<string> {
  if (kind === "full") return root;
  const place = join(root, "..", "clone");
  const git = (...args: readonly string[]) => execute("git", args, { env });
  await git("-C", root, "config", "uploadpack.allowFilter", "true");
  if (kind === "bare") {
    await git("clone", "--quiet", "--mirror", "--local", root, place);
    return place;
  }
  const how = {
    partial: ["--filter=blob:none", "--no-checkout"],
    shallow: ["--depth=1", "--branch=work", "--no-checkout"],
  };
  await git("clone", "--quiet", ...how[kind], `file://${root}`, place);
  const depth = kind === "shallow" ? ["--depth=1"] : [];
  const refs = ["+refs/notes/*:refs/notes/*", "+refs/heads/*:refs/remotes/origin/*"];
  await git("-C", place, "fetch", "--quiet", ...depth, "origin", ...refs);
  if (kind === "shallow") return place;
  // Every verification reads these; other contents stay away.
  for (const name of ["refs/remotes/origin/main:ci/isdlc-policy.json", "refs/remotes/origin/main:ci/allowed_signers"])
    await git("-C", place, "cat-file", "blob", name);
  await git("-C", place, "log", "--patch", "refs/notes/isdlc").catch(() => null); // cases without statements
  return place;
}

type ShellPlace = { readonly cwd: string; readonly env: Environment; readonly script: string };

function runShell({ script, args, input = "", more = {} }: Call, place: ShellPlace): Promise<ProgramResult> {
  writeFileSync(place.script, script);
  const child = spawn("sh", [place.script, ...args], { cwd: place.cwd, env: { ...place.env, ...more } });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (more_: string) => (text += more_));
  child.stdin.on("error", () => undefined); // only the hook reads its input
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, text }));
  });
}

/** True for a push that the hook refuses whatever is in it: the branch would lose its commits. */
const isRewind = ({ entryPoint }: Row, { repository, base, head }: CaseModel): boolean =>
  entryPoint === "the pre-receive hook" && !ancestors(repository.commits, head).has(base);

const rewindDifference = ({ status, text }: ProgramResult): string | null =>
  status === 1 && text.includes("cannot be moved back") ? null : `exit ${status}: ${text}`;

/** A shallow clone is always refused. A partial clone may lack what would prove an accepted case. */
function differenceIn({ source: { code }, kind }: Row, { status, text }: ProgramResult): string | null {
  const isUnsure = kind === "partial" && text.includes("OBJECTS_MISSING");
  const isRefused = kind === "shallow" || isUnsure || code !== null;
  const reason = isRefused ? (code ?? "") : "The policy is kept.";
  const isExplained =
    kind === "shallow" ? /shallow|cannot be moved back/.test(text) : isUnsure || text.includes(reason);
  const isStatus = isRefused ? status === 1 : status === 0;
  return isStatus && isExplained ? null : `exit ${status}: ${text}`;
}

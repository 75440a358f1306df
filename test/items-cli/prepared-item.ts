import { createSandbox, type Sandbox, type Turn } from "../support/cli.ts";

export const ANALYSIS = ["00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture", "04-design"];
export const BUILD = ["05-test-strategy", "06-implementation", "16-quality-loop", "08-code-review"];
export const DOCUMENTS = [
  "quick-scan.md",
  "requirements-spec.md",
  "impact-analysis.md",
  "architecture-overview.md",
  "module-design.md",
];

export const TASKS = "# Tasks\n\n- [ ] T1: do it\n  - files: src/a.txt\n  - needs: none\n  - serves: R1\n";

/** Turns that complete design and implementation. */
export const turns: Readonly<Record<string, readonly Turn[]>> = {
  "04-design": [{ writes: { "{item}/tasks.md": TASKS } }],
  "06-implementation": [{ writes: { "src/a.txt": "by the agent\n" } }],
};

/** A repository whose agent plays these turns. */
export async function readySandbox(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  return sandbox;
}

export type PreparedItem = {
  readonly slug?: string;
  /** Number of completed analysis phases. */
  readonly phases?: number;
  readonly hash?: string | null;
  readonly more?: Readonly<Record<string, unknown>>;
};

/** An item of an earlier analysis, on disk and uncommitted. */
export function prepareItem(
  sandbox: Sandbox,
  { slug = "login", phases = 5, hash, more = {} }: PreparedItem = {},
): string {
  const folder = `docs/requirements/${slug}`;
  const done = ANALYSIS.slice(0, phases);
  const meta = {
    description: "Login page",
    source: "manual",
    created_at: "2026-01-01T00:00:00.000Z",
    analysis_status: phases === 0 ? "raw" : phases === ANALYSIS.length ? "analyzed" : "partial",
    phases_completed: done,
    ...(hash === null ? {} : { codebase_hash: hash ?? sandbox.git("rev-parse", "HEAD") }),
    ...more,
  };
  sandbox.write(`${folder}/meta.json`, `${JSON.stringify(meta, null, 2)}\n`);
  for (const name of DOCUMENTS.slice(0, phases)) sandbox.write(`${folder}/${name}`, `# ${name} of the analysis\n`);
  return folder;
}

/** Commits that change code possibly read by the analysis. */
export function moveOn(sandbox: Sandbox, commits: number): void {
  for (let number = 1; number <= commits; number++) {
    sandbox.write(`src/moved-${number}.txt`, `after ${sandbox.git("rev-parse", "HEAD")}\n`);
    sandbox.git("add", "src");
    sandbox.git("commit", "--quiet", "--message", `Move ${number}`);
  }
}

/** All files of the working tree and the facts recorded about the item. */
export const fingerprint = (sandbox: Sandbox, item: string): string =>
  [
    sandbox.git("status", "--porcelain", "--untracked-files=all"),
    sandbox.git("for-each-ref"),
    sandbox.read(`${item}/meta.json`),
  ].join("\n");

/** Phases in the order in which agents were started for them. */
export const phasesRun = (sandbox: Sandbox): string[] => [
  ...new Set(
    sandbox
      .log()
      .filter(({ role }) => role === "phase")
      .map(({ phase }) => phase),
  ),
];

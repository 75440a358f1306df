import { type ChildProcess, execFile } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createCodeHistory } from "../src/adapters/git/snapshot/git-distance.ts";
import { resolveItem } from "../src/adapters/project-files/resolve-item.ts";
import { createChoices } from "../src/app/start/choices.ts";
import { planBuild } from "../src/app/start/plan-build.ts";
import { itemsFolder } from "../src/adapters/project-files/items-folder.ts";
import { ANALYSIS_PHASES } from "../src/core/items/analysis-status.ts";
import { checkStaleness } from "../src/core/items/staleness.ts";
import { WorkflowDefinition } from "../src/schema/plan.ts";
import type { Settings } from "./benches.ts";
import { longHistory, manyFiles } from "./big-repository.ts";
import { type BenchRepository, sourcePath } from "./git-place.ts";
import { createNodeRunner, interleave, least, timed, timedWithChildren } from "./measure.ts";
import { averagedRatios, type ReportLine, milliseconds, ratios } from "./report.ts";
import { openPlace } from "./sample-run.ts";

const COMMITS = 100_000;
/** Distance in commits at which counting takes longer than starting git. */
const FAR = 50_000;
const REPOSITORY_FILES = 50_000;
const CHANGED_FILES = 50;
const ITEMS = 1000;
/** Number of different commits at which the outdated items were analyzed. */
const ANALYSED_AT = 100;
/** One call takes microseconds: a sample repeats it. */
const UNCHANGED_TIMES = 50;

const execute = promisify(execFile);

/** Measures how long it takes to find out if the code changed since an item was analyzed. */
export async function measureDetection(settings: Settings): Promise<readonly ReportLine[]> {
  const history = longHistory(settings.scratch, "history", COMMITS);
  const wide = manyFiles(settings.scratch, "wide", { files: REPOSITORY_FILES, changed: CHANGED_FILES });
  return [
    ...(await measureStaleness(settings, { history, wide })),
    ...(await measureItems(settings, { history, wide })),
  ];
}

type Repositories = { readonly history: BenchRepository; readonly wide: BenchRepository };

async function measureStaleness(
  { root, quick }: Settings,
  { history, wide }: Repositories,
): Promise<readonly ReportLine[]> {
  const build = prepareDetection(root, wide);
  const { tree, env } = history;
  const since = (distance: number) => {
    const hash = history.git("rev-parse", `HEAD~${distance}`);
    return () => timedWithChildren(() => moved(tree, hash));
  };
  const samples = await interleave(quick ? 10 : 40, {
    git: () => timedWithChildren(() => execute("git", ["--version"], { cwd: tree, env })),
    counting: () =>
      timedWithChildren(() => execute("git", ["rev-list", "--count", `HEAD~${FAR}..HEAD`], { cwd: tree, env })),
    unchanged: unchanged(history),
    unchangedWide: unchanged(wide),
    ten: since(10),
    thousand: since(1000),
    far: since(FAR),
    build: () => timedWithChildren(build),
  });
  const base = `git --version, min ${milliseconds(least(samples.git.wall))}`;
  const line = (what: string, name: keyof typeof samples, goal: number): ReportLine => ({
    what,
    base,
    figures: averagedRatios({ of: samples[name], to: samples.git }),
    goal,
    unit: "x",
  });
  const processes = await gitCalls(build);
  return [
    line("staleness, HEAD unchanged, 100,000 commits", "unchanged", 0.1),
    line("staleness, HEAD unchanged, 50,000 files", "unchangedWide", 0.1),
    line("changes since 10 commits", "ten", 8),
    line("changes since 1,000 commits", "thousand", 8),
    {
      what: "changes since 50,000 commits, counted exactly",
      base: `git rev-list --count, min ${milliseconds(least(samples.counting.wall))}`,
      figures: averagedRatios({ of: samples.far, to: samples.counting }),
      goal: 1.5,
      unit: "x",
    },
    line("build detection, stale, 50,000 files", "build", 15),
    { what: `git processes of it: ${processes.join(", ")}`, base: "-", figures: count(processes), goal: 2, unit: "" },
    {
      what: "git status among them",
      base: "-",
      figures: count(processes.filter((command) => command === "status")),
      goal: 0,
      unit: "",
    },
  ];
}

/** Measures `isdlc items`: once with all items analyzed at HEAD, once with items that need a git call. */
async function measureItems(
  { program: copyProgram, scratch, quick }: Settings,
  { history, wide }: Repositories,
): Promise<readonly ReportLine[]> {
  const run = createNodeRunner(scratch);
  const program = copyProgram();
  writeItems(wide, [wide.git("rev-parse", "HEAD")]);
  writeItems(history, history.git("rev-list", "--skip=1", `--max-count=${ANALYSED_AT}`, "HEAD").split("\n"));
  const items = ({ tree, env }: BenchRepository) => run({ args: [program, "items"], cwd: tree, env });
  const samples = await interleave(quick ? 10 : 60, {
    node: () => run({ args: ["-e", "0"], cwd: history.tree, env: history.env }),
    fresh: () => items(wide),
    stale: () => items(history),
  });
  const base = `node -e 0, min ${milliseconds(least(samples.node.wall))}`;
  return [
    {
      what: "isdlc items, 1,000 items, code unchanged",
      base,
      figures: ratios({ of: samples.fresh, to: samples.node }),
      goal: 3,
      unit: "x",
    },
    {
      what: "isdlc items, 1,000 items of 100 older commits",
      base,
      figures: ratios({ of: samples.stale, to: samples.node }),
      goal: 3,
      unit: "x",
    },
  ];
}

function unchanged({ tree, git }: BenchRepository) {
  const hash = git("rev-parse", "HEAD");
  const work = async (): Promise<void> => {
    const detection = createCodeHistory(tree, process.env);
    const { stale } = checkStaleness({ codebase_hash: hash }, await detection.head());
    const { commits } = await detection.since(hash);
    if (stale || commits !== 0) throw new Error("HEAD is said to have moved on");
  };
  return () => timed(work, UNCHANGED_TIMES);
}

async function moved(tree: string, hash: string): Promise<void> {
  const { commits, changed } = await createCodeHistory(tree, process.env).since(hash);
  if (commits === "unknown" || changed.length === 0) throw new Error(`not found out: ${commits} commits`);
}

/** Returns what `isdlc build` does for an analyzed item before it starts the run, with all answers given as options. */
function prepareDetection(root: string, repository: BenchRepository): () => Promise<void> {
  const { tree, git } = repository;
  const slug = "REQ-0001-opening-hours";
  writeItem(repository, slug, git("rev-parse", "HEAD~1"));
  const cited = Array.from({ length: 20 }, (_, number) => `| \`${sourcePath(number * 3)}\` | changes |\n`);
  repository.write(`docs/requirements/${slug}/impact-analysis.md`, `| file | why |\n|---|---|\n${cited.join("")}`);
  const definition = WorkflowDefinition.parse(
    JSON.parse(readFileSync(join(root, "workflows", "feature.json"), "utf8")),
  );
  return async () => {
    const project = openPlace(repository);
    const item = resolveItem(slug, itemsFolder(project), join(tree, "BACKLOG.md"));
    if (item === null || "multiple" in item) throw new Error("the item was not found");
    const by = { name: "ada", channel: "script" } as const;
    const decisions = { proceed: "yes", stale: "proceed" };
    const request = { workflow: "feature", title: slug, usage: "", by, decisions, wishes: {} };
    const planning = { project, request, choices: createChoices(decisions), notes: [] as string[] };
    const { record } = await planBuild(planning, { definition, item, folder: slug });
    if (record.accepted_stale === undefined) throw new Error(`not found stale: ${planning.notes.join(" ")}`);
  };
}

export function writeItems(repository: Pick<BenchRepository, "write">, hashes: readonly string[]): void {
  for (let number = 0; number < ITEMS; number++) {
    const hash = hashes[number % hashes.length] ?? "";
    writeItem(repository, `REQ-${String(number).padStart(4, "0")}-opening-hours`, hash);
  }
}

function writeItem({ write }: Pick<BenchRepository, "write">, slug: string, hash: string): void {
  const meta = {
    description: "Show the opening hours on every page",
    source: "manual",
    source_id: null,
    created_at: "2026-11-14T10:15:00.000Z",
    analysis_status: "analyzed",
    phases_completed: ANALYSIS_PHASES,
    codebase_hash: hash,
  };
  write(`docs/requirements/${slug}/meta.json`, `${JSON.stringify(meta, null, 2)}\n`);
}

/** Lists the commands of the git processes started by the work. */
async function gitCalls(work: () => Promise<unknown>): Promise<readonly string[]> {
  const children: ChildProcess[] = [];
  const note = (message: unknown): void => void children.push((message as { process: ChildProcess }).process);
  subscribe("child_process", note);
  try {
    await work();
  } finally {
    unsubscribe("child_process", note);
  }
  return children.map(({ spawnargs }) => {
    const isCommand = (arg: string, index: number): boolean =>
      index > 0 && !arg.startsWith("-") && spawnargs[index - 1] !== "-c";
    return spawnargs.find(isCommand) ?? "";
  });
}

const count = (processes: readonly string[]) => [{ name: "", value: processes.length }];

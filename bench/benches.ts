import { cpSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { usePackageRoot } from "../src/adapters/project-files/package-root.ts";
import { measureAttestation } from "./attestation.ts";
import { measureCommandLine } from "./command-line.ts";
import { measureDecisions } from "./decisions.ts";
import { measureDetection } from "./detection.ts";
import { measureDriving } from "./driving.ts";
import { endAll } from "./ending.ts";
import { measureGate } from "./gate.ts";
import { measureGateInBrowser } from "./gate-in-browser.ts";
import { measureHook } from "./hook.ts";
import { measureJournal } from "./journal.ts";
import { measurePackage } from "./package.ts";
import { measurePage } from "./page.ts";
import { measureLargeRepository } from "./large-repository.ts";
import { measureLongLives } from "./long-lives.ts";
import { type ReportLine, tableText, verdictOf } from "./report.ts";
import { measureReviewers } from "./reviewers.ts";
import { measureReviewOrder } from "./review-order.ts";
import { measureSummary } from "./summary.ts";
import { teamBenches } from "./team.ts";
import { measureTestCopy } from "./test-copy.ts";

export { endAll } from "./ending.ts";

export type Settings = {
  /** Folder of the built package. */
  readonly root: string;
  /** Start file of a copy of the package: a concurrent build would replace the original. */
  readonly program: () => string;
  /** An empty folder on a disk that syncs like the user's own. */
  readonly scratch: string;
  readonly quick: boolean;
  /** True to use a repository as large as the largest in practice. Creating it takes minutes and gigabytes. */
  readonly large: boolean;
  /** List of changes for the review order. Null: the small list of this project. */
  readonly cases: string | null;
};

export type Bench = (settings: Settings) => Promise<readonly ReportLine[]> | readonly ReportLine[];

type Options = Omit<Settings, "program"> & { readonly json: boolean; readonly only: readonly string[] | null };

const benches: Readonly<Record<string, Bench>> = {
  journal: measureJournal,
  cli: measureCommandLine,
  hook: measureHook,
  summary: measureSummary,
  gate: measureGate,
  detection: measureDetection,
  driving: measureDriving,
  decisions: measureDecisions,
  reviewers: measureReviewers,
  attestation: measureAttestation,
  page: measurePage,
  browser: measureGateInBrowser,
  copy: measureTestCopy,
  ...teamBenches,
  package: measurePackage,
  large: measureLargeRepository,
  lives: measureLongLives,
  "review-order": measureReviewOrder,
};

/** Returns the bench with this name, or all its parts. */
const named = (name: string): readonly string[] =>
  Object.keys(benches).filter((one) => one === name || one.startsWith(`${name}-`));

/** Prints the table. The exit code reports if everything was measured, not if it was fast. */
export async function runBenches({ json, only, ...given }: Options): Promise<number> {
  const names = (only ?? Object.keys(benches)).flatMap(named);
  const unknown = (only ?? []).filter((name) => named(name).length === 0);
  if (unknown.length > 0) {
    console.error(`There is no bench "${unknown.join(", ")}"; there are: ${Object.keys(benches).join(", ")}.`);
    return 2;
  }
  usePackageRoot(given.root); // this bundle is in the scratch folder
  const before = loadavg()[0]?.toFixed(1);
  let program: string | null = null;
  const settings: Settings = { ...given, program: () => (program ??= copyProgram(given)) };
  const lines: ReportLine[] = [];
  const broken: string[] = [];
  for (const name of names) {
    if (!json) console.error(`measuring ${name} …`);
    const measured = await measure(name, settings);
    if (typeof measured === "string") broken.push(measured);
    else lines.push(...measured);
  }
  const machine = `node ${process.version}, ${process.platform}, ${cpus().length} cores, load ${before} before it`;
  if (json)
    console.log(
      JSON.stringify({ machine, lines: lines.map((line) => ({ ...line, verdict: verdictOf(line) })), broken }),
    );
  else console.log([machine, "", tableText(lines), "", formatSummary(lines), ...broken].join("\n"));
  return broken.length === 0 ? 0 : 1;
}

/** Returns the lines of a bench, or the reason for its failure. */
async function measure(name: string, settings: Settings): Promise<readonly ReportLine[] | string> {
  try {
    return (await benches[name]?.(settings)) ?? [];
  } catch (error) {
    return `${name} could not run: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await endAll();
  }
}

function copyProgram({ root, scratch }: Omit<Settings, "program">): string {
  for (const part of ["dist/bin", "dist/web", "workflows", "agents", "package.json"])
    cpSync(join(root, part), join(scratch, "package", part), { recursive: true });
  return join(scratch, "package", "dist", "bin", "isdlc.cjs");
}

function formatSummary(lines: readonly ReportLine[]): string {
  const count = (verdict: string): number => lines.filter((line) => verdictOf(line) === verdict).length;
  return `${count("pass")} pass, ${count("falls short")} fall short, ${count("reported")} only reported`;
}

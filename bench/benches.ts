import { cpSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { measureAttestation } from "./attestation.ts";
import { measureCommandLine } from "./command-line.ts";
import { measureDecisions } from "./decisions.ts";
import { measureDetection } from "./detection.ts";
import { measureDriving } from "./driving.ts";
import { measureGate } from "./gate.ts";
import { measureHook } from "./hook.ts";
import { measureJournal } from "./journal.ts";
import { measurePackage } from "./package.ts";
import { measurePage } from "./page.ts";
import { measureLargeRepository } from "./large-repository.ts";
import { measureLongLives } from "./long-lives.ts";
import { type Line, tableText, verdictOf } from "./report.ts";
import { measureReviewers } from "./reviewers.ts";
import { measureSummary } from "./summary.ts";
import { measureTeam } from "./team.ts";
import { measureTestCopy } from "./test-copy.ts";

export type Settings = {
  /** The package, built. */
  readonly root: string;
  /** The start file of a copy of it, so that a build meanwhile does not pull it away. */
  readonly program: () => string;
  /** An empty folder, on a disk that is synced like the user's own. */
  readonly scratch: string;
  readonly quick: boolean;
  /** A repository as large as the largest that are worked in: its making alone takes minutes and gigabytes. */
  readonly large: boolean;
};

type Options = Omit<Settings, "program"> & { readonly json: boolean; readonly only: readonly string[] | null };

const benches: Readonly<Record<string, (settings: Settings) => Promise<readonly Line[]> | readonly Line[]>> = {
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
  copy: measureTestCopy,
  team: measureTeam,
  package: measurePackage,
  large: measureLargeRepository,
  lives: measureLongLives,
};

/** Prints the table. The exit code tells whether everything could be measured, not whether it was fast. */
export async function runBenches({ json, only, ...given }: Options): Promise<number> {
  const names = only ?? Object.keys(benches);
  const unknown = names.filter((name) => benches[name] === undefined);
  if (unknown.length > 0) {
    console.error(`There is no bench "${unknown.join(", ")}"; there are: ${Object.keys(benches).join(", ")}.`);
    return 2;
  }
  let program: string | null = null;
  const settings: Settings = { ...given, program: () => (program ??= copyProgram(given)) };
  const lines: Line[] = [];
  const broken: string[] = [];
  for (const name of names) {
    if (!json) console.error(`measuring ${name} …`);
    try {
      lines.push(...((await benches[name]?.(settings)) ?? []));
    } catch (error) {
      broken.push(`${name} could not run: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const machine = `node ${process.version}, ${process.platform}, ${cpus().length} cores`;
  if (json)
    console.log(
      JSON.stringify({ machine, lines: lines.map((line) => ({ ...line, verdict: verdictOf(line) })), broken }),
    );
  else console.log([machine, "", tableText(lines), "", summaryOf(lines), ...broken].join("\n"));
  return broken.length === 0 ? 0 : 1;
}

function copyProgram({ root, scratch }: Omit<Settings, "program">): string {
  for (const part of ["dist/bin", "dist/web", "workflows", "agents", "package.json"])
    cpSync(join(root, part), join(scratch, "package", part), { recursive: true });
  return join(scratch, "package", "dist", "bin", "isdlc.cjs");
}

function summaryOf(lines: readonly Line[]): string {
  const count = (verdict: string): number => lines.filter((line) => verdictOf(line) === verdict).length;
  return `${count("pass")} pass, ${count("falls short")} fall short, ${count("reported")} only reported`;
}

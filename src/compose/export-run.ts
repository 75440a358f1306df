import { join } from "node:path";
import { createHash } from "node:crypto";
import { branchFacts } from "../adapters/attestation/branch-facts.ts";
import { portableWith } from "../adapters/attestation/portable-signature.ts";
import { historyGit } from "../adapters/attestation/history-git.ts";
import { type RunArchive, packExport, readPatch, statementsAbout } from "../adapters/attestation/export-archive.ts";
import type { Git } from "../adapters/git/process/git.ts";
import { journalBytes, readJournalBytes } from "../adapters/journal/journal-heads.ts";
import { keySeal } from "../adapters/files/user-key.ts";
import { type BranchFacts, buildStatement, type StatementFacts } from "../core/attestation/statement.ts";
import { replay } from "../core/evolve/evolve.ts";
import { OWN } from "../core/own-folder.ts";
import { ProblemError } from "../core/problem.ts";
import { type ActiveRun, type EndedRun, mergedAs } from "../core/run.ts";
import type { RunStatement } from "../schema/attestation.ts";
import { EXPORT_FILES } from "../schema/export.ts";
import type { RunEvent } from "../schema/event.ts";
import type { RunId } from "../schema/ids.ts";
import { type ReportFile, runReport } from "../views/report/run-report.ts";
import { listReviews } from "../views/reviews.ts";
import { systemClock } from "./project-location.ts";
import { version } from "./version.ts";
import type { LocalProject } from "./project.ts";

export type ExportedRun = { readonly archive: Buffer; readonly report: string };

/** Exports everything that another person needs to assess a run, as an archive and as an HTML report. */
export async function exportRun(project: LocalProject, run: RunId): Promise<ExportedRun> {
  const { journal, own, files, folders } = project;
  const { state, head } = journal.load(run);
  const bytes = journalBytes({ directory: join(own, OWN.journal), files }, run);
  if (state.is === "none" || bytes === null)
    throw new ProblemError({ code: "USAGE", detail: `There is no run ${run} here.`, usage: "isdlc export <run>" });
  const { events, heads } = readJournalBytes(bytes, { run, seal: keySeal(folders.state, files) });
  const start = state.run.git;
  const git = start === null ? null : await historyGit(project.root, project.env);
  const merged = state.is === "ended" ? mergedAs(state) : null;
  const found = start === null || git === null ? null : await branchFacts(git, { run, start, merged, events, heads });
  const branch = found ?? noBranch(start?.commit ?? "");
  const { predicate } = buildExportStatement({ state, events, journal: head, branch });
  const documents = readDocuments(project, state);
  const diffs = git === null ? [] : await readDiffs(git, branch);
  const statements =
    git === null ? [] : await statementsAbout(git, { run, commits: branch.commits.map(({ commit }) => commit) });
  const facts = { title: state.run.title, predicate, events, documents, diffs };
  const report = runReport({ ...facts, statements: statements.length });
  const archive = packExport(run, head, [
    { name: EXPORT_FILES.journal, content: bytes },
    { name: EXPORT_FILES.reviews, content: Buffer.from(reviewsFile(events)) },
    { name: EXPORT_FILES.statements, content: Buffer.from(statements.map((line) => `${line}\n`).join("")) },
    { name: EXPORT_FILES.report, content: Buffer.from(report) },
    ...inFolder("documents", documents),
    ...inFolder("diffs", diffs),
  ]);
  return { archive, report };
}

export const reviewsFile = (events: readonly RunEvent[]): string => `${JSON.stringify(listReviews(events), null, 1)}\n`;

/** Renders the report of an archive from elsewhere locally. HTML contained in the archive is never used. */
export function reportOfExport({ events, heads, files, manifest }: RunArchive): string {
  const state = replay(events);
  const journal = heads.at(-1);
  if (state.is === "none" || journal === undefined)
    throw new ProblemError({ code: "ARCHIVE_INVALID", file: manifest.run, detail: "its journal has no run" });
  const branch = noBranch(state.run.git?.commit ?? "");
  const { predicate } = buildExportStatement({ state, events, journal, branch });
  const filesBelow = (folder: string): ReportFile[] =>
    [...files]
      .filter(([name]) => name.startsWith(`${folder}/`))
      .map(([name, content]) => ({
        name: `${name.slice(folder.length + 1)} (not signed)`,
        text: content.toString("utf8"),
      }));
  const [documents, diffs] = [filesBelow("documents"), filesBelow("diffs")];
  const statements = linesIn(files.get(EXPORT_FILES.statements));
  return runReport({ title: state.run.title, predicate, events, documents, diffs, statements });
}

const linesIn = (content: Buffer = Buffer.alloc(0)): number =>
  content
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "").length;

const buildExportStatement = (facts: Pick<StatementFacts, "state" | "events" | "journal" | "branch">): RunStatement =>
  buildStatement({
    ...facts,
    signedAt: systemClock.now(),
    version,
    hash: sha256,
    portable: portableWith(facts.state.run.passkeys ?? []),
  });

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const noBranch = (commit: string): BranchFacts => ({
  start: { commit, tree: "" },
  commits: [],
  others: [],
  merge: null,
});

/** Reads the documents produced by the phases. */
function readDocuments(project: LocalProject, { run, phases }: ActiveRun | EndedRun): ReportFile[] {
  const names = phases.flatMap(({ rule, made }) => [
    ...rule.outputs.map((name) => `${run.item}/${name}`),
    ...(made?.artifacts ?? []),
  ]);
  return [...new Set(names)].flatMap((name) => {
    const text = project.projections.readArtifact(name);
    return text === null ? [] : [{ name, text }];
  });
}

function readDiffs(git: Git, { commits }: BranchFacts): Promise<ReportFile[]> {
  return Promise.all(
    commits.map(async ({ commit, attempt }) => ({
      name: `${commit.slice(0, 12)} ${attempt}`,
      text: await readPatch(git, commit),
    })),
  );
}

/** A tar header stores 100 characters. The end of a name is its most informative part. */
const MAX_FILE_NAME_LENGTH = 70;

/** Converts file names to valid archive names. Position numbers distinguish equal results. */
const inFolder = (folder: string, files: readonly ReportFile[]) =>
  files.map(({ name, text }, index) => {
    const plain = name
      .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
      .replaceAll(/\.{2,}/g, ".")
      .slice(-MAX_FILE_NAME_LENGTH)
      .replace(/^[^A-Za-z0-9]+/, "");
    return { name: `${folder}/${String(index + 1).padStart(2, "0")}-${plain}`, content: Buffer.from(text) };
  });

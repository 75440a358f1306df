import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { believeEnvelope } from "../../../adapters/attestation/believe-envelope.ts";
import { signersFile, signingSettings } from "../../../adapters/attestation/signing-settings.ts";
import { type RunArchive, readExport } from "../../../adapters/attestation/export-archive.ts";
import { readKind } from "../../../adapters/project-files/source-folder.ts";
import { hardenedGit } from "../../../adapters/git/process/git.ts";
import { replay } from "../../../core/evolve/evolve.ts";
import type { SignedLanding } from "../../../core/attestation/signed-statement.ts";
import { ProblemError } from "../../../core/problem.ts";
import { EXPORT_FILES } from "../../../schema/export.ts";
import { importedLines } from "../../../views/import/imported-items.ts";
import {
  type ExportedFile,
  exportLines,
  type FileEvidence,
  type JudgedStatement,
  signedUpTo,
} from "../../../views/import/exported-run.ts";
import { identifyStarter } from "../invocation/caller.ts";
import { done, type Invocation, type Result, type Run, text } from "../invocation/verb.ts";
import { reportOfExport, reviewsFile } from "../../../compose/export-run.ts";
import { importFolder } from "../../../compose/import-items.ts";
import { openProject } from "../../../compose/project.ts";

/** Shows an exported run, or imports specifications of another tool as items of this project. */
export const importVerb: Run = async (invocation) => {
  const [named = ""] = invocation.words;
  const source = resolve(invocation.cwd, named);
  const kind = named === "" ? null : readKind(source);
  if (kind === null)
    throw new ProblemError({ code: "IMPORT_UNKNOWN", folder: named, detail: "there is no such file or folder" });
  if (kind === "file") return showExport(invocation, source);
  const project = openProject(invocation.cwd, invocation.env);
  await identifyStarter(invocation, project);
  const imported = await importFolder(project, source);
  for (const warning of imported.warnings) invocation.io.err(`warning: ${warning}`);
  return done(importedLines(imported), { ...imported });
};

/** Shows an export. Read-only: it never becomes a run of this project. */
async function showExport(invocation: Invocation, file: string): Promise<Result> {
  const exported = readExport(readFileSync(file), file);
  const wanted = text(invocation.values, "file");
  if (wanted !== undefined) return oneFile(exported, wanted);
  const report = text(invocation.values, "report");
  if (report !== undefined) writeFileSync(resolve(invocation.cwd, report), reportOfExport(exported), { mode: 0o600 });
  const statements = await judged(invocation, exported);
  const { manifest, events } = exported;
  const state = replay(events);
  const files = filesWithEvidence(exported, statements);
  const lines = exportLines({ run: manifest.run, state, events, files, statements });
  return done(lines, { run: manifest.run, journal: manifest.journal, events, files, statements });
}

function filesWithEvidence({ files, events }: RunArchive, statements: readonly JudgedStatement[]): ExportedFile[] {
  const seq = signedUpTo(statements);
  const reviews = files.get(EXPORT_FILES.reviews)?.toString("utf8");
  const isDerived = seq > 0 && seq === events.at(-1)?.seq && reviews === reviewsFile(events);
  const evidence: Readonly<Record<string, FileEvidence>> = {
    [EXPORT_FILES.journal]: seq === 0 ? { by: "nothing" } : { by: "statement", seq },
    [EXPORT_FILES.reviews]: { by: isDerived ? "journal" : "nothing" },
    [EXPORT_FILES.statements]: { by: "itself" },
  };
  return [...files.keys()].map((name) => ({ name, evidence: evidence[name] ?? { by: "nothing" } }));
}

/**
 * Never prints the HTML report of the archive, as anyone could have written it. `--report` renders a new one from the
 * journal.
 */
function oneFile({ files }: RunArchive, name: string): Result {
  if (name === EXPORT_FILES.report)
    throw new ProblemError({
      code: "USAGE",
      detail: "The page of an archive is not shown as it is: anyone can have written it.",
      usage: "isdlc import <archive> --report <file>",
    });
  const content = files.get(name)?.toString("utf8");
  if (content !== undefined) return done([content], { file: name, content });
  const usage = `isdlc import <archive> --file <one of: ${[...files.keys()].join(", ")}>`;
  throw new ProblemError({ code: "USAGE", detail: `The archive has no file ${JSON.stringify(name)}.`, usage });
}

/** Checks each attestation: it must have a known signer and belong to this journal. */
async function judged(
  { cwd, env, values }: Invocation,
  { manifest, files, heads }: RunArchive,
): Promise<JudgedStatement[]> {
  const named = text(values, "signers");
  const signers = named === undefined ? signersFile(await signingSettings(hardenedGit(cwd, env))) : resolve(cwd, named);
  const lines = (files.get(EXPORT_FILES.statements)?.toString("utf8") ?? "").split("\n").filter((line) => line !== "");
  const doubt = { signers, now: Date.now(), answers: new Map() };
  return Promise.all(
    lines.map(async (line): Promise<JudgedStatement> => {
      const belief = await believeEnvelope(line, doubt);
      if (belief.is === "refused") return { is: "refused", why: belief.refused.why };
      if (belief.is === "landing") return judgedLanding(belief.signed, manifest.run);
      const { statement, signers: signed } = belief.signed;
      const { run, journal } = statement.predicate;
      const { seq, hash } = journal;
      const fits = run === manifest.run && heads.some((head) => head.seq === seq && head.hash === hash);
      if (!fits) return { is: "refused", why: "it is about another journal than this one" };
      return { is: "believed", signers: signed.map(({ signer }) => signer), seq };
    }),
  );
}

/** Reports who signed the merge of the run. It proves nothing about the journal. */
function judgedLanding({ statement, signers }: SignedLanding, run: string): JudgedStatement {
  const { predicate } = statement;
  if (predicate.run !== run) return { is: "refused", why: "it is about the merge of another run" };
  return { is: "landing", signers: signers.map(({ signer }) => signer), commit: predicate.result.commit };
}

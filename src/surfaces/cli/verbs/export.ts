import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import { exportRun } from "../../../compose/export-run.ts";
import { done, type Run, text } from "../invocation/verb.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openInvokedProject } from "../invocation/project-of.ts";

/** Exports a run as an archive and a self-contained HTML report. */
export const exportVerb: Run = async (invocation) => {
  const { values, words, cwd } = invocation;
  const project = openInvokedProject(invocation);
  const { run } = await currentRun(project, text(values, "run") ?? words[0]);
  if (run === null) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const folder = resolve(cwd, text(values, "to") ?? ".");
  const exported = await exportRun(project, run);
  const wrote = [
    { file: resolve(folder, `isdlc-${run}.tar.gz`), content: exported.archive },
    { file: resolve(folder, `isdlc-${run}.html`), content: exported.report },
  ];
  for (const { file, content } of wrote) writeFileSync(file, content, { mode: 0o600 });
  const files = wrote.map(({ file }) => file);
  return done([...files.map((file) => `Wrote ${file}`), "Read it elsewhere: isdlc import <archive>"], { run, files });
};

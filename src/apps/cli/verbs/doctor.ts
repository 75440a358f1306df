import { join } from "node:path";
import { setAside } from "../../../adapters/journal-file/set-aside.ts";
import { type Verified, verifyJournal } from "../../../adapters/journal-file/verify-journal.ts";
import { createGitRead } from "../../../adapters/git/git-read.ts";
import { systemLockProcesses } from "../../../adapters/file-lock/lock-processes.ts";
import { createProcesses } from "../../../adapters/process/create-processes.ts";
import { createFileAnchors } from "../../../adapters/user-files/anchors.ts";
import { loadUserKey } from "../../../adapters/user-files/user-key.ts";
import { sandboxAvailable } from "../../../adapters/sandbox/sandbox-available.ts";
import type { RunState } from "../../../core/run.ts";
import { rest } from "../../../engine/rest.ts";
import type { RunId } from "../../../schema/ids.ts";
import { decider } from "../authority.ts";
import { installLine, seeAgents } from "../known-agents.ts";
import { currentRun, driverOf, type Project } from "../project.ts";
import { projectOf } from "../project-of.ts";
import { flag, type Result, type Run, text } from "../verb.ts";
import { deskOf } from "../desk-of.ts";

type Finding = { readonly name: string; readonly ok: boolean; readonly detail: string };

/** Walks everything: chain, marks and anchors of a run's journal. */
export const verifyJournalVerb: Run = (invocation) => {
  const { values } = invocation;
  const project = projectOf(invocation);
  const run = text(values, "run") ?? newestOf(project);
  if (run === null)
    return Promise.resolve(report([{ name: "journal", ok: true, detail: "No run was ever started here." }]));
  return Promise.resolve(report(journalFindings(verifyJournal(verifyPlace(project), run), run)));
};

/** Looks at this project and this machine; with --fix mends what can be mended without losing anything. */
export const doctor: Run = async (invocation) => {
  const project = projectOf(invocation);
  const fix = flag(invocation.values, "fix");
  if (fix) decider(invocation, project, loadQuietly(project)?.state ?? { is: "none" });
  const run = newestOf(project);
  if (fix && run !== null) await setAside({ ...verifyPlace(project), processes: systemLockProcesses() }, run);
  const findings = [
    ...(await surroundings(project)),
    ...(run === null ? [] : journalFindings(verifyJournal(verifyPlace(project), run), run)),
    ...(await runFindings(project, fix)),
  ];
  return report(findings);
};

async function surroundings(project: Project): Promise<Finding[]> {
  const git = await createGitRead(project.root).facts();
  const sandbox = sandboxAvailable(project.env);
  return [
    { name: "node", ok: true, detail: process.version },
    {
      name: "git",
      ok: git !== null,
      detail:
        git === null
          ? "no usable repository here: git init, or use --no-git"
          : `on ${git.branch ?? "a detached commit"}`,
    },
    ...(await agentFindings(project.env)),
    {
      name: "sandbox",
      ok: true,
      detail: sandbox.ok ? `bubblewrap ${sandbox.version}` : `not available: ${sandbox.why} (${sandbox.fix})`,
    },
    { name: "user folders", ok: true, detail: `${project.folders.config}, ${project.folders.state}` },
  ];
}

/** Only those that are there: nobody needs all of them. */
async function agentFindings(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const there = (await seeAgents(env)).filter(({ path }) => path !== null);
  if (there.length === 0) return [{ name: "agents", ok: true, detail: installLine() }];
  return there.map(({ name, able, trouble }) => ({
    name,
    ok: able !== null,
    detail: able === null ? (trouble ?? "") : able.version,
  }));
}

function journalFindings({ findings, head, lines }: Verified, run: RunId): Finding[] {
  if (findings.length === 0)
    return [{ name: "journal", ok: true, detail: `${run}: ${lines} decisions, ${head.seq} events, in order` }];
  return findings.map(({ is, line, detail }) => ({
    name: "journal",
    ok: is === "torn",
    detail: `${run}: ${is} at line ${line}: ${detail}`,
  }));
}

/** Processes left by a driver that is gone, and projections that are missing. */
async function runFindings(project: Project, fix: boolean): Promise<Finding[]> {
  const loaded = loadQuietly(project);
  if (loaded === null || loaded.state.is !== "active") return [];
  const { state, head } = loaded;
  const claim = "claim" in state.stage ? state.stage.claim : null;
  const abandoned = claim !== null && driverOf(project) === null;
  if (abandoned) await createProcesses().endAll(claim.nonce);
  const warnings = fix ? rest({ desk: deskOf(project) }, state, head) : [];
  return [
    {
      name: "run",
      ok: true,
      detail: abandoned ? `${claim.execution} was interrupted; what was left of it is ended` : state.run.run,
    },
    ...warnings.map((detail) => ({ name: "projections", ok: false, detail })),
  ];
}

function loadQuietly(project: Project): { state: RunState; head: { seq: number; hash: string } } | null {
  try {
    return currentRun(project, undefined);
  } catch {
    return null; // the journal findings above say what is wrong with it
  }
}

function newestOf(project: Project): RunId | null {
  try {
    return project.journal.newest();
  } catch {
    return verifyPlace(project).anchors.openRun();
  }
}

const verifyPlace = (project: Project) => ({
  directory: join(project.own, "journal"),
  files: project.files,
  key: loadUserKey(project.folders.state),
  anchors: createFileAnchors(project.folders.state, project.item === null ? project.root : project.own),
});

function report(findings: readonly Finding[]): Result {
  const ok = findings.every((finding) => finding.ok);
  const lines = findings.map(({ name, ok: good, detail }) => `${good ? "ok  " : "BAD "} ${name}: ${detail}`);
  return { code: ok ? 0 : 1, lines, json: { ok, findings } };
}

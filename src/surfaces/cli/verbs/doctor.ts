import { plainLine } from "../../../views/plain-text.ts";
import { join } from "node:path";
import { leavingRuns } from "../../../adapters/journal/move-journal.ts";
import { setAside } from "../../../adapters/journal/set-aside.ts";
import { type JournalVerification, verifyJournal } from "../../../adapters/journal/verify-journal.ts";
import { systemLockProcesses } from "../../../adapters/journal/lock-files.ts";
import { createFileAnchors } from "../../../adapters/files/anchors.ts";
import { keySeal } from "../../../adapters/files/user-key.ts";
import { describeUntestedVersion } from "../../../adapters/agents/supported-versions.ts";
import { sandboxAvailable } from "../../../adapters/sandbox/sandbox-available.ts";
import { OWN } from "../../../core/own-folder.ts";
import { noRun } from "../../../core/run.ts";
import { writeProjections } from "../../../engine/write-projections.ts";
import type { RunId } from "../../../schema/ids.ts";
import { identifyPerson } from "../invocation/caller.ts";
import { installLine, seeAgents } from "../../../compose/known-agents.ts";
import { type CurrentRun, currentRun } from "../../../app/project/current-run.ts";
import { movingPlace } from "../../../compose/moving-place.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { openInvokedProject } from "../invocation/project-of.ts";
import { flag, type Result, type Run, text } from "../invocation/verb.ts";
import { integrationFindings, sandboxFindings, tracingFindings } from "./install.ts";
import { reapOrphans } from "../../../app/answer/left-in-tree.ts";
import type { verifySignatures as VerifySignatures } from "../../../adapters/identity/verify-signatures.ts";
import { ownValue } from "../../../core/own-value.ts";
import { findSignatures, type Signature } from "../../../core/attestation/find-signatures.ts";

type DoctorFinding = {
  readonly name: string;
  readonly ok: boolean;
  /** Nothing is broken, but a run would soon fail. */
  readonly warning?: true;
  readonly detail: string;
};

/** Verifies the complete journal of a run: hash chain, seals, anchors and signatures. */
export const verifyJournalVerb: Run = async (invocation) => {
  const { values } = invocation;
  const project = openInvokedProject(invocation);
  const run = text(values, "run") ?? findNewestRun(project);
  if (run === null) return report([{ name: "journal", ok: true, detail: "No run has been started here." }]);
  return report(await wholeJournal(project, run));
};

/** Verifies signatures only if the journal itself is valid. */
async function wholeJournal(project: LocalProject, run: RunId): Promise<DoctorFinding[]> {
  const findings = journalFindings(verifyJournal(verifyPlace(project), run), run);
  return findings.every(({ ok }) => ok) ? [...findings, ...(await signatureFindings(project, run))] : findings;
}

/** Checks this project and this machine. With --fix, repairs what can be repaired without loss. */
export const doctor: Run = async (invocation) => {
  const project = openInvokedProject(invocation);
  const fix = flag(invocation.values, "fix");
  if (fix) await identifyPerson(invocation, project, (await loadQuietly(project))?.state ?? noRun);
  const repaired = fix ? await repairJournal(project) : [];
  const run = findNewestRun(project);
  const findings = [
    ...(await surroundings(project)),
    ...repaired,
    ...(run === null ? [] : await wholeJournal(project, run)),
    ...(await runFindings(project, fix)),
    ...leavingFindings(project),
  ];
  return report(findings);
};

async function surroundings(project: LocalProject): Promise<DoctorFinding[]> {
  const sandbox = sandboxAvailable(project.env);
  return [
    { name: "node", ok: true, detail: process.version },
    await gitFinding(project),
    ...(await agentFindings(project)),
    {
      name: "sandbox",
      ok: true,
      detail: sandbox.ok ? `bubblewrap ${sandbox.version}` : `not available: ${sandbox.why} (${sandbox.fix})`,
    },
    ...sessionFindings(project).map(({ name, isStale, detail }) => ({
      name,
      ok: true,
      ...(isStale ? { warning: true as const } : {}),
      detail,
    })),
    { name: "user folders", ok: true, detail: `${project.folders.config}, ${project.folders.state}` },
  ];
}

function sessionFindings(project: LocalProject) {
  const integrations = integrationFindings(project);
  const hasClaude = integrations.some(({ name }) => name.startsWith("claude"));
  return [...integrations, ...sandboxFindings(project), ...(hasClaude ? tracingFindings(project) : [])];
}

async function gitFinding({ vcs }: LocalProject): Promise<DoctorFinding> {
  const git = await vcs.facts();
  const name = "git";
  if (git === null) return { name, ok: false, detail: "no usable repository here: git init, or use --no-git" };
  if (git.head === null)
    return { name, ok: true, warning: true, detail: 'no commit yet: git add --all, then git commit -m "First"' };
  return { name, ok: true, detail: `on ${git.branch ?? "a detached commit"}` };
}

/** Lists only installed agents, because no user needs all of them. */
async function agentFindings({ env, settings }: LocalProject): Promise<DoctorFinding[]> {
  const there = (await seeAgents(env)).filter(({ path }) => path !== null);
  if (there.length === 0) {
    const command = settings.read().settings["agent-command"];
    return command === undefined
      ? [{ name: "agents", ok: true, warning: true, detail: installLine() }]
      : [{ name: "agents", ok: true, detail: "the program of your setting agent-command" }];
  }
  return there.map(({ name, able, trouble }) => {
    if (able === null) return { name, ok: false, detail: trouble ?? "" };
    const untested = describeUntestedVersion(name, able.version);
    if (untested === null) return { name, ok: true, detail: able.version };
    return { name, ok: true, warning: true, detail: `${able.version} is ${untested}` };
  });
}

async function repairJournal(project: LocalProject): Promise<DoctorFinding[]> {
  const run = findNewestRun(project);
  if (run === null) return [];
  const { is } = await setAside({ ...verifyPlace(project), processes: systemLockProcesses() }, run);
  if (is === "adopted")
    return [
      { name: "journal", ok: true, warning: true, detail: `${run} was started elsewhere and continues here now` },
    ];
  if (is !== "givenUp") return [];
  const detail = `${run} is abandoned because its journal is gone; its branch and commits stay`;
  return [{ name: "journal", ok: true, warning: true, detail }];
}

function journalFindings({ findings, head, lines }: JournalVerification, run: RunId): DoctorFinding[] {
  if (findings.length === 0)
    return [{ name: "journal", ok: true, detail: `${run}: ${lines} decisions, ${head.seq} events, in order` }];
  return findings.map(({ is, line, detail }) => ({
    name: "journal",
    ok: is === "torn",
    detail: `${run}: ${is} at line ${line}: ${detail}`,
  }));
}

/** Ends processes orphaned by an exited driver. With --fix, writes missing projections. */
async function runFindings(project: LocalProject, fix: boolean): Promise<DoctorFinding[]> {
  const loaded = await loadQuietly(project);
  if (loaded === null || loaded.state.is !== "active") return [];
  const { state, head } = loaded;
  const abandoned = project.driver.holder() === null ? await reapOrphans(project, state) : null;
  const warnings = fix ? writeProjections(project, state, head) : [];
  return [
    {
      name: "run",
      ok: true,
      detail: abandoned === null ? state.run.run : `${abandoned} was interrupted; its orphaned processes were ended`,
    },
    ...warnings.map((detail) => ({ name: "projections", ok: false, detail })),
  ];
}

function leavingFindings(project: LocalProject): DoctorFinding[] {
  return leavingRuns(movingPlace(project)).map(({ run }) => {
    const detail = `${run} is being moved to the team and stays paused until then: isdlc push-run`;
    return { name: "run", ok: true, warning: true, detail };
  });
}

async function loadQuietly(project: LocalProject): Promise<CurrentRun | null> {
  try {
    return await currentRun(project);
  } catch {
    return null; // the journal findings report the error
  }
}

function findNewestRun(project: LocalProject): RunId | null {
  try {
    return project.journal.newest();
  } catch {
    return verifyPlace(project).anchors.openRun();
  }
}

const verifyPlace = (project: LocalProject) => ({
  directory: join(project.own, OWN.journal),
  files: project.files,
  seal: keySeal(project.folders.state),
  anchors: createFileAnchors(project.folders.state, project.item === null ? project.root : project.own),
});

function report(findings: readonly DoctorFinding[]): Result {
  const ok = findings.every((finding) => finding.ok);
  const mark = (finding: DoctorFinding): string => (finding.ok ? (finding.warning === true ? "warn" : "ok  ") : "BAD ");
  const lines = findings.map((finding) => `${mark(finding)} ${plainLine(`${finding.name}: ${finding.detail}`)}`);
  return { code: ok ? 0 : 1, lines, json: { ok, findings } };
}

type SignatureFinding = { readonly name: "passkey"; readonly ok: boolean; readonly detail: string };

/** Verifies each decision signed with a passkey. Empty if the run has none. */
async function signatureFindings(project: LocalProject, run: RunId): Promise<SignatureFinding[]> {
  const found = findSignatures(project.journal.events(run), project.passkeys.list());
  const { signatures, wrong } = found;
  if (signatures.length + wrong.length === 0) return [];
  // Built into the same folder. Contains the verification code, which other commands do not need.
  const { verifySignatures } = require("./ui.cjs") as { verifySignatures: typeof VerifySignatures };
  const bad = await verifySignatures(found);
  if (bad.length > 0)
    return bad.map(({ seq, detail }) => ({ name: "passkey", ok: false, detail: `${run}: event ${seq}: ${detail}` }));
  const told = `${run}: ${signatures.length} signed decisions, in order${vouchers(signatures)}${pages(signatures)}`;
  return [{ name: "passkey", ok: true, detail: told }];
}

/** States what an origin proves, and what it does not. */
function pages(signatures: readonly Signature[]): string {
  const origins = [...new Set(signatures.flatMap(({ signature }) => statedOrigin(signature.statement) ?? []))];
  if (origins.length === 0) return "";
  return `; signed on ${origins.join(", ")}: the address of the page with its port, not which program served it`;
}

/** Address of the web UI in a signed decision; null for decisions recorded without one. */
function statedOrigin(statement: string): string | null {
  const origin = ownValue(JSON.parse(statement), "origin");
  return typeof origin === "string" ? plainLine(origin, 200) : null;
}

/** Names the servers that identify the owners of the keys. */
function vouchers(signatures: readonly Signature[]): string {
  const vouched = signatures.filter(({ signature, key }) => signature.key === key);
  const hosts = new Set(vouched.map(({ key }) => key.relyingParty ?? ""));
  return hosts.size === 0 ? "" : `; their owners are named by the server of ${[...hosts].join(", ")}`;
}

import type { Refusal } from "./command.ts";
import { describeRefusal } from "./refusal.ts";
import { attestationDescriptions, type AttestationProblem } from "./attestation-problem.ts";
import { teamDescriptions, type TeamProblem } from "./team-problem.ts";
import { shellWord } from "./command-line.ts";

/** Every failure a user can meet: a stable code with facts. `describe` adds what happened and how to fix it. */
export type Problem =
  | { readonly code: "JOURNAL_CORRUPT"; readonly file: string; readonly line: number; readonly detail: string }
  | { readonly code: "JOURNAL_FORGED"; readonly file: string; readonly line: number }
  | { readonly code: "JOURNAL_MISSING"; readonly run: string; readonly seq: number }
  | { readonly code: "JOURNAL_ELSEWHERE"; readonly run: string; readonly root: string }
  | { readonly code: "JOURNAL_NEWER"; readonly file: string; readonly type: string }
  | { readonly code: "WRITE_FAILED"; readonly file: string; readonly detail: string; readonly recorded?: true }
  | { readonly code: "LOCK_BUSY"; readonly file: string; readonly holder: string }
  | { readonly code: "UNSAFE_PATH"; readonly path: string; readonly detail: string }
  | { readonly code: "COMMAND_REFUSED"; readonly refusal: Refusal }
  | { readonly code: "GIT_FAILED"; readonly command: string; readonly detail: string }
  | { readonly code: "GIT_UNAVAILABLE"; readonly detail: string }
  | {
      readonly code: "MERGE_CONFLICT";
      readonly branch: string;
      readonly base: string;
      readonly files: readonly string[];
    }
  | { readonly code: "AGENT_MISSING"; readonly agent: string; readonly detail: string }
  | { readonly code: "AGENT_NEEDS_SANDBOX"; readonly agent: string; readonly fix: string }
  | { readonly code: "NO_AGENT"; readonly install: readonly string[] }
  | { readonly code: "AGENT_UNKNOWN"; readonly agent: string }
  | { readonly code: "SANDBOX_UNAVAILABLE"; readonly why: string; readonly fix: string }
  | { readonly code: "PROGRAM_UNSAFE"; readonly name: string; readonly path: string; readonly tree: string }
  | { readonly code: "PROGRAM_CHANGED"; readonly name: string; readonly before: string; readonly now: string }
  | { readonly code: "AGENT_FAILED"; readonly agent: string; readonly detail: string }
  | { readonly code: "ITEM_BUSY"; readonly item: string; readonly isAnalysis: boolean }
  | { readonly code: "NEEDS_PERSON"; readonly verb: string; readonly server?: string }
  | { readonly code: "PASSKEY_NEEDED"; readonly verb: string; readonly repository?: string }
  | { readonly code: "PASSKEY_REFUSED"; readonly detail: string }
  | { readonly code: "ANSWERED_BY_AGENT"; readonly verb: string; readonly evidence: string }
  | { readonly code: "GATE_HELD"; readonly pid: number }
  | { readonly code: "RUN_DRIVEN"; readonly pid: number }
  | { readonly code: "SESSION_HOLDS"; readonly session: string; readonly phase: string }
  | { readonly code: "NOT_HELD" }
  | { readonly code: "TERMINAL_SUSPICIOUS"; readonly why: string }
  | { readonly code: "CALLER_UNKNOWN"; readonly verb: string; readonly why: string }
  | { readonly code: "TOKEN_REFUSED"; readonly detail: string }
  | { readonly code: "NO_RUN"; readonly elsewhere: readonly string[] }
  | { readonly code: "ITEM_UNKNOWN"; readonly reference: string }
  | { readonly code: "FEATURE_UNKNOWN"; readonly feature: string; readonly valid: readonly string[] }
  | { readonly code: "FEATURE_STATUS_UNKNOWN"; readonly feature: string; readonly file: string }
  | { readonly code: "FEATURE_ENDED"; readonly feature: string; readonly status: string }
  | { readonly code: "PREREQUISITE_MISSING"; readonly detail: string; readonly verb: string }
  | { readonly code: "TREE_DIRTY"; readonly files: readonly string[] }
  | { readonly code: "WORKTREE_REFUSED"; readonly why: string; readonly fix: string }
  | {
      readonly code: "START_PHASE_INVALID";
      readonly phase: string;
      readonly workflow: string;
      readonly valid: readonly string[];
    }
  | { readonly code: "WORKFLOW_UNKNOWN"; readonly name: string; readonly valid: readonly string[] }
  | { readonly code: "SETTINGS_UNREADABLE"; readonly file: string; readonly detail: string }
  | { readonly code: "SETTING_UNKNOWN"; readonly name: string; readonly valid: readonly string[] }
  | {
      readonly code: "OVERLAY_INVALID";
      readonly file: string;
      readonly place: string;
      readonly detail: string;
      readonly valid: readonly string[];
    }
  | { readonly code: "IMPORT_UNKNOWN"; readonly folder: string; readonly detail: string }
  | { readonly code: "UNEXPECTED"; readonly detail: string }
  | AttestationProblem
  | TeamProblem
  | { readonly code: "USAGE"; readonly detail: string; readonly usage: string };

export type ProblemCode = Problem["code"];

export class ProblemError<P extends Problem = Problem> extends Error {
  override readonly name = "ProblemError";
  readonly problem: P;
  constructor(problem: P, options?: { cause?: unknown }) {
    super(describe(problem).what, options);
    this.problem = problem;
  }
}

type Description = { readonly what: string; readonly fix: string };
type Describe = { readonly [C in ProblemCode]: (problem: Extract<Problem, { code: C }>) => Description };

const list = (names: readonly string[]): string => names.join(", ");

const descriptions: Describe = {
  JOURNAL_CORRUPT: (p) => ({
    what: `The journal ${p.file} is damaged at line ${p.line}: ${p.detail}.`,
    fix: 'Nothing was changed. Run "isdlc doctor" to see what can be recovered.',
  }),
  JOURNAL_FORGED: (p) => ({
    what: `Line ${p.line} of ${p.file} was not written by isdlc for this user.`,
    fix: 'No gate opens on it. Run "isdlc verify-journal", and "isdlc doctor --fix" to set the foreign lines aside.',
  }),
  JOURNAL_MISSING: (p) => ({
    what: `The journal of run ${p.run} ends before event ${p.seq}, which was acknowledged earlier, or is gone.`,
    fix: 'Restore .isdlc/journal from a backup, or run "isdlc doctor --fix" to abandon the run.',
  }),
  JOURNAL_ELSEWHERE: (p) => ({
    what: `The run ${p.run} was started in ${p.root}, not in this working tree.`,
    fix: 'If you moved the tree, run "isdlc doctor --fix" to continue here. If not, its journal was copied here: the same command sets it aside if this tree has its own run.',
  }),
  JOURNAL_NEWER: (p) => ({
    what: `${p.file} holds "${p.type}", which this version does not know.`,
    fix: "Use the version of isdlc that wrote it, or a newer one. Nothing was changed.",
  }),
  WRITE_FAILED: (p) => ({
    what: `Could not write ${p.file}: ${p.detail}.`,
    fix: `${p.recorded === true ? "" : "Nothing was recorded. "}Make room or fix the permissions.`,
  }),
  LOCK_BUSY: (p) => ({
    what: `${p.file} is held by ${p.holder}.`,
    fix: 'Wait for that command to end, or run "isdlc doctor" if it is gone.',
  }),
  UNSAFE_PATH: (p) => ({ what: `${p.path} is not used: ${p.detail}.`, fix: "Give a plain path inside the project." }),
  COMMAND_REFUSED: (p) => describeRefusal(p.refusal),
  GIT_FAILED: (p) => ({
    what: `git ${p.command} failed: ${p.detail}.`,
    fix: 'Fix what git reports, then run "isdlc resume".',
  }),
  GIT_UNAVAILABLE: (p) => ({
    what: `Git cannot be used here: ${p.detail}.`,
    fix: 'Run "git init" and commit once, or add --no-git to work without branch, commits and diffs.',
  }),
  MERGE_CONFLICT: (p) => ({
    what: `Merging ${p.branch} into ${p.base} conflicts in ${list(p.files)}.`,
    fix: `Merge or rebase ${p.branch} by hand, then run "isdlc retry"; or "isdlc skip" to finish with the branch kept.`,
  }),
  AGENT_MISSING: (p) => ({
    what: `The agent "${p.agent}" cannot be started: ${p.detail}.`,
    fix: 'Install it ("isdlc agents" shows how), or name another with --agent or --agent-command.',
  }),
  AGENT_NEEDS_SANDBOX: (p) => ({
    what: `The agent "${p.agent}" starts programs that files of the repository name, so it is used in a sandbox only.`,
    fix: `${p.fix}, or name another with --agent or --reviewer.`,
  }),
  NO_AGENT: (p) => ({
    what: "No agent is configured, and no known agent was found on the PATH.",
    fix: `Install one and sign in (${p.install.join("; ")}), or use any program: --agent-command "<program> <args>". See "isdlc agents".`,
  }),
  AGENT_UNKNOWN: (p) => ({
    what: `This run was started with "${p.agent}", but the command for it is not stored on this machine.`,
    fix: 'Pass it again: --agent <name> or --agent-command "<program> <args>".',
  }),
  PROGRAM_UNSAFE: (p) => ({
    what: `${p.name} resolves to ${p.path}, in the working tree ${p.tree}, where agents can change it.`,
    fix: "Put a program that is installed outside the working tree first on your PATH.",
  }),
  PROGRAM_CHANGED: (p) => ({
    what: `${p.name} now resolves to ${p.now}; when the run started it was ${p.before}.`,
    fix: 'Restore the earlier PATH, or accept the programs as they are: "isdlc trust --programs".',
  }),
  SANDBOX_UNAVAILABLE: (p) => ({
    what: `Agents cannot be put into a sandbox: ${p.why}.`,
    fix: `Fix it: ${p.fix}. A new run can be started with --sandbox off; a run that was started with a sandbox continues only with one.`,
  }),
  AGENT_FAILED: (p) => ({ what: `${p.agent} failed: ${p.detail}.`, fix: 'Run "isdlc retry" to try again.' }),
  ITEM_BUSY: (p) => ({
    what: `An open run is working on ${p.item}.`,
    fix: `End it first: isdlc cancel --reason "…"${p.isAnalysis ? ` --item ${p.item}` : ""}.`,
  }),
  NEEDS_PERSON: (p) => ({
    what: `"${p.verb}" is a person's decision, and this call has neither a terminal nor a token.`,
    fix: `Run it at a terminal, or ${p.server === undefined ? 'create a token with "isdlc token" there (or "isdlc token --yes" before any run)' : `take a token of your own at ${p.server}`} and pass it in ISDLC_OPERATOR_TOKEN.`,
  }),
  PASSKEY_NEEDED: ({ verb, repository: shared }) => ({
    what: `"${verb}" must be signed with a passkey: ${shared === undefined ? 'your setting "approvals"' : shared} allows nothing else.`,
    fix: `Decide on the page: ${shared === undefined ? "isdlc ui" : "the team's server"}. If you lost the passkey: ${shared === undefined ? 'isdlc passkey remove <name> --reason "…"' : "ask for an invitation"}.`,
  }),
  PASSKEY_REFUSED: (p) => ({
    what: `The passkey's signature was not accepted: ${p.detail}.`,
    fix: "Nothing was recorded. Reload the page and try again, with a passkey that is registered there.",
  }),
  ANSWERED_BY_AGENT: (p) => ({
    what: `"${p.verb}" is a person's decision, and this call comes from an agent (${p.evidence}).`,
    fix: "A person has to run it in their own terminal.",
  }),
  GATE_HELD: (p) => ({
    what: `The gate is open at another terminal (process ${p.pid}).`,
    fix: "Answer it there, or press q there first.",
  }),
  RUN_DRIVEN: (p) => ({
    what: `Process ${p.pid} is driving this run, so a session cannot work on it now.`,
    fix: 'Wait until it stops (see "isdlc status"), or ask the person to end that process.',
  }),
  SESSION_HOLDS: (p) => ({
    what: `The session ${p.session} is working on ${p.phase}.`,
    fix: 'Continue in that session, or end it. A person can release the phase with "isdlc retry".',
  }),
  NOT_HELD: () => ({
    what: "This session does not hold the phase: it never started it, or the run has moved on.",
    fix: 'Run "isdlc begin" to see what to do now, and report with the nonce it returns.',
  }),
  TERMINAL_SUSPICIOUS: (p) => ({
    what: `This terminal may be an agent's: ${p.why}.`,
    fix: "Answer in a terminal that was open before the agent started or in a new tab of it, on the page (isdlc ui, started there), or with an approval token. If a session is working on the run and offers it, you can answer in the session itself.",
  }),
  CALLER_UNKNOWN: (p) => ({
    what: `Cannot determine whether an agent runs isdlc ${p.verb}: ${p.why}.`,
    fix: "Answer where the run was started, in the web UI (isdlc ui) opened there, or with an approval token created before the run.",
  }),
  TOKEN_REFUSED: (p) => ({
    what: `The approval token was not accepted: ${p.detail}.`,
    fix: 'Create one with "isdlc token" before you start the run.',
  }),
  NO_RUN: (p) => ({
    what: "No run is open in this working tree.",
    fix:
      p.elsewhere.length > 0
        ? `Another working tree has one: ${p.elsewhere.map((path) => `isdlc -C ${shellWord(path)} status`).join("; ")}.`
        : 'Start one: isdlc "<what to do>".',
  }),
  ITEM_UNKNOWN: (p) => ({
    what: `There is no item with the number or reference ${p.reference}.`,
    fix: `Run "isdlc items" to list them, or add it with its title: isdlc add "${p.reference} <title>".`,
  }),
  FEATURE_UNKNOWN: (p) => ({
    what: p.feature === "" ? "There is no active feature here." : `There is no feature "${p.feature}" here.`,
    fix: `${p.valid.length > 0 ? `Existing: ${list(p.valid)}. ` : ""}Start a new one: isdlc brainstorm "<what to build>".`,
  }),
  FEATURE_STATUS_UNKNOWN: (p) => ({
    what: `${p.feature} has a status that this version of isdlc does not know.`,
    fix: `Set "status" in ${p.file} to "active" to continue it, or use the version that wrote it.`,
  }),
  FEATURE_ENDED: (p) => ({
    what: `The feature ${p.feature} is ${p.status}, and that is final.`,
    fix: 'Start a new one: isdlc brainstorm "<what to build>".',
  }),
  PREREQUISITE_MISSING: (p) => ({
    what: p.detail.replace(/ Run \/[a-z-]+ first\.$/, ""),
    fix: `Run "isdlc ${p.verb}" first.`,
  }),
  TREE_DIRTY: (p) => ({
    what: `There are uncommitted changes: ${list(p.files)}.`,
    fix: "Commit them, or put them aside with git stash, then run the command again.",
  }),
  WORKTREE_REFUSED: (p) => ({ what: `No working tree was created or removed (${p.why}).`, fix: p.fix }),
  START_PHASE_INVALID: (p) => ({
    what: `The workflow "${p.workflow}" has no phase "${p.phase}" to start with, so the whole workflow runs.`,
    fix: `Valid: ${list(p.valid)}.`,
  }),
  WORKFLOW_UNKNOWN: (p) => ({ what: `There is no workflow "${p.name}".`, fix: `Valid: ${list(p.valid)}.` }),
  SETTINGS_UNREADABLE: (p) => ({
    what: `Your settings in ${p.file} cannot be used: ${p.detail}.`,
    fix: "Fix the file, or delete it to start without settings. Nothing was changed.",
  }),
  SETTING_UNKNOWN: (p) => ({ what: `There is no setting "${p.name}".`, fix: `Valid: ${list(p.valid)}.` }),
  OVERLAY_INVALID: (p) => ({
    what: `${p.file} is not used: ${p.place === "" ? "" : `${p.place}: `}${p.detail}.`,
    fix: `${p.valid.length > 0 ? `Valid: ${list(p.valid)}. ` : ""}Fix or remove the file; no run starts with rules that are invalid.`,
  }),
  IMPORT_UNKNOWN: (p) => ({
    what: `${p.folder} cannot be imported: ${p.detail}.`,
    fix: "Give a spec-kit feature, an OpenSpec change, a Kiro spec, a project with .isdlc/state.json, or an archive of isdlc export.",
  }),
  UNEXPECTED: (p) => ({
    what: `isdlc failed unexpectedly: ${p.detail}.`,
    fix: 'Try again; "isdlc doctor" checks this project. Set ISDLC_TRACE=1 to see where it failed.',
  }),
  ...attestationDescriptions,
  ...teamDescriptions,
  USAGE: (p) => ({ what: p.detail, fix: `Usage: ${p.usage}` }),
};

/** Describes what happened, and the command that fixes it. */
export function describe(problem: Problem): Description {
  const tell = descriptions[problem.code] as (problem: Problem) => Description; // keyed by `problem.code`
  return tell(problem);
}

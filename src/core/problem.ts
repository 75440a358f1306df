import type { Refusal } from "./command.ts";
import { describeRefusal } from "./refusal.ts";
import { shellWord } from "./shell-word.ts";
import { teamDescriptions, type TeamProblem } from "./team-problem.ts";

/** Every failure a person can meet: a stable code with facts; `describe` adds what happened and what fixes it. */
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
  | { readonly code: "NEEDS_PERSON"; readonly verb: string }
  | { readonly code: "PASSKEY_NEEDED"; readonly verb: string }
  | { readonly code: "PASSKEY_REFUSED"; readonly detail: string }
  | { readonly code: "ANSWERED_BY_AGENT"; readonly verb: string; readonly evidence: string }
  | { readonly code: "GATE_HELD"; readonly pid: number }
  | { readonly code: "RUN_DRIVEN"; readonly pid: number }
  | { readonly code: "SESSION_HOLDS"; readonly session: string; readonly phase: string }
  | { readonly code: "NOT_HELD" }
  | { readonly code: "TERMINAL_SUSPICIOUS"; readonly why: string }
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
  | { readonly code: "SIGNING_FAILED"; readonly detail: string }
  | { readonly code: "SIGNING_NOT_SET_UP"; readonly detail: string }
  | { readonly code: "NOTHING_TO_ATTEST"; readonly run: string; readonly detail: string }
  | { readonly code: "NOTHING_TO_COUNTERSIGN"; readonly named: string; readonly why: readonly string[] }
  | { readonly code: "ARCHIVE_INVALID"; readonly file: string; readonly detail: string }
  | { readonly code: "IMPORT_UNKNOWN"; readonly folder: string; readonly detail: string }
  | { readonly code: "POLICY_INVALID"; readonly file: string; readonly detail: string }
  | { readonly code: "COMMITS_UNKNOWN"; readonly named: string }
  | { readonly code: "UNEXPECTED"; readonly detail: string }
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
    fix: 'Bring .isdlc/journal back from a backup, or run "isdlc doctor --fix" to give the run up.',
  }),
  JOURNAL_ELSEWHERE: (p) => ({
    what: `The run ${p.run} was begun in ${p.root}, not in this working tree.`,
    fix: 'If you moved the tree, run "isdlc doctor --fix" to go on here. If not, somebody put its journal here: the same command puts it away where this tree has a run of its own.',
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
    fix: 'Fix what git says, then run "isdlc resume".',
  }),
  GIT_UNAVAILABLE: (p) => ({
    what: `There is no git to work with: ${p.detail}.`,
    fix: 'Run "git init" and commit once, or add --no-git to work without branch, commits and diffs.',
  }),
  MERGE_CONFLICT: (p) => ({
    what: `Merging ${p.branch} into ${p.base} conflicts in ${list(p.files)}.`,
    fix: `Merge or rebase ${p.branch} by hand, then run "isdlc retry"; or "isdlc skip" to finish with the branch kept.`,
  }),
  AGENT_MISSING: (p) => ({
    what: `The agent "${p.agent}" cannot be started: ${p.detail}.`,
    fix: 'Install it ("isdlc agents" tells how), or name another with --agent or --agent-command.',
  }),
  AGENT_NEEDS_SANDBOX: (p) => ({
    what: `The agent "${p.agent}" starts programs that files of the repository name, so it is used in a sandbox only.`,
    fix: `${p.fix}, or name another with --agent or --reviewer.`,
  }),
  NO_AGENT: (p) => ({
    what: "No agent was chosen, and none that is known was found on the PATH.",
    fix: `Install one and sign in (${p.install.join("; ")}), or use any program: --agent-command "<program> <args>". "isdlc agents" tells more.`,
  }),
  AGENT_UNKNOWN: (p) => ({
    what: `This run was started with "${p.agent}", and how to start that is not remembered here.`,
    fix: 'Give it again: --agent <name> or --agent-command "<program> <args>".',
  }),
  PROGRAM_UNSAFE: (p) => ({
    what: `${p.name} would be ${p.path}, which lies in the working tree ${p.tree}: agents can change it.`,
    fix: "Start isdlc with programs that are installed elsewhere on your PATH.",
  }),
  PROGRAM_CHANGED: (p) => ({
    what: `${p.name} is ${p.now} now, and was ${p.before} when the run began.`,
    fix: 'Start isdlc with the PATH of before, or agree to the programs as they are: "isdlc trust --programs".',
  }),
  SANDBOX_UNAVAILABLE: (p) => ({
    what: `Agents cannot be put into a sandbox: ${p.why}.`,
    fix: `Fix it: ${p.fix}. A new run can be started with --sandbox off; one that was begun with a sandbox goes on with one only.`,
  }),
  AGENT_FAILED: (p) => ({ what: `${p.agent} failed: ${p.detail}.`, fix: 'Run "isdlc retry" to try again.' }),
  ITEM_BUSY: (p) => ({
    what: `A run is open that works on ${p.item}.`,
    fix: `End it first: isdlc cancel --reason "…"${p.isAnalysis ? ` --item ${p.item}` : ""}.`,
  }),
  NEEDS_PERSON: (p) => ({
    what: `"${p.verb}" is a person's decision, and there is no person here: no terminal, no token.`,
    fix: 'Run it at a terminal, or make a token with "isdlc token" there (or "isdlc token --yes" before any run) and pass it in ISDLC_OPERATOR_TOKEN.',
  }),
  PASSKEY_NEEDED: (p) => ({
    what: `"${p.verb}" has to be signed with a passkey: your setting "approvals" allows nothing else.`,
    fix: 'Decide on the page: isdlc ui. Whoever has lost the passkey: isdlc passkey remove <name> --reason "…".',
  }),
  PASSKEY_REFUSED: (p) => ({
    what: `The passkey's signature was not accepted: ${p.detail}.`,
    fix: "Nothing was recorded. Load the page again and decide once more, with a passkey of isdlc passkey list.",
  }),
  ANSWERED_BY_AGENT: (p) => ({
    what: `"${p.verb}" is a person's decision, and this call comes from an agent (${p.evidence}).`,
    fix: "A person runs it in a terminal of their own.",
  }),
  GATE_HELD: (p) => ({
    what: `The gate is open at another terminal (process ${p.pid}).`,
    fix: "Answer it there, or leave it there with q first.",
  }),
  RUN_DRIVEN: (p) => ({
    what: `Process ${p.pid} drives this run, so a session has nothing to do in it now.`,
    fix: 'Wait until it rests ("isdlc status" tells), or ask the person to end that process.',
  }),
  SESSION_HOLDS: (p) => ({
    what: `The session ${p.session} is at work on ${p.phase}.`,
    fix: 'Go on in that session, or end it. A person frees the phase with "isdlc retry".',
  }),
  NOT_HELD: () => ({
    what: "This session holds no phase: it never began it, or the run has moved on since.",
    fix: 'Run "isdlc begin" to learn what to do now, and report with the nonce it gives.',
  }),
  TERMINAL_SUSPICIOUS: (p) => ({
    what: `This terminal may be an agent's: ${p.why}.`,
    fix: "Answer in a terminal that was open before the agent worked or in a new tab of it, on the page (isdlc ui, started there), or with an approval token. While a session works on the run: where it offers that, in the session itself.",
  }),
  TOKEN_REFUSED: (p) => ({
    what: `The approval token was not accepted: ${p.detail}.`,
    fix: 'Make one with "isdlc token" before the run is started.',
  }),
  NO_RUN: (p) => ({
    what: "No run is open in this working tree.",
    fix:
      p.elsewhere.length > 0
        ? `Another working tree has one: ${p.elsewhere.map((path) => `isdlc -C ${shellWord(path)} status`).join("; ")}.`
        : 'Start one: isdlc "<what to do>".',
  }),
  ITEM_UNKNOWN: (p) => ({
    what: `No item here has the number or reference ${p.reference}.`,
    fix: `Run "isdlc items" to see those there are, or put it on record with its title: isdlc add "${p.reference} <title>".`,
  }),
  FEATURE_UNKNOWN: (p) => ({
    what: p.feature === "" ? "There is no active feature here." : `There is no feature "${p.feature}" here.`,
    fix: `${p.valid.length > 0 ? `Those there are: ${list(p.valid)}. ` : ""}A new one: isdlc brainstorm "<what to build>".`,
  }),
  FEATURE_STATUS_UNKNOWN: (p) => ({
    what: `The status of ${p.feature} is a word that this version of isdlc does not know.`,
    fix: `Set "status" in ${p.file} to "active" to go on with it, or use the version that wrote it.`,
  }),
  FEATURE_ENDED: (p) => ({
    what: `The feature ${p.feature} is ${p.status}, and that is final.`,
    fix: 'Begin a new one: isdlc brainstorm "<what to build>".',
  }),
  PREREQUISITE_MISSING: (p) => ({ what: p.detail, fix: `Run "isdlc ${p.verb}" first.` }),
  TREE_DIRTY: (p) => ({
    what: `There are uncommitted changes: ${list(p.files)}.`,
    fix: "Commit them, or put them aside with git stash, then run the command again.",
  }),
  WORKTREE_REFUSED: (p) => ({ what: `No working tree was made or removed (${p.why}).`, fix: p.fix }),
  START_PHASE_INVALID: (p) => ({
    what: `The workflow "${p.workflow}" has no phase "${p.phase}" to start with, so all of it is run.`,
    fix: `Valid: ${list(p.valid)}.`,
  }),
  WORKFLOW_UNKNOWN: (p) => ({ what: `There is no workflow "${p.name}".`, fix: `Valid: ${list(p.valid)}.` }),
  SETTINGS_UNREADABLE: (p) => ({
    what: `Your settings in ${p.file} cannot be relied on: ${p.detail}.`,
    fix: "Fix the file, or delete it to begin without settings. Nothing was changed.",
  }),
  SETTING_UNKNOWN: (p) => ({ what: `There is no setting "${p.name}".`, fix: `Valid: ${list(p.valid)}.` }),
  OVERLAY_INVALID: (p) => ({
    what: `${p.file} is not used: ${p.place === "" ? "" : `${p.place}: `}${p.detail}.`,
    fix: `${p.valid.length > 0 ? `Valid: ${list(p.valid)}. ` : ""}Fix the file or take it away; no run starts on rules that are not understood.`,
  }),
  SIGNING_FAILED: (p) => ({
    what: `No statement was signed: ${p.detail}.`,
    fix: 'Fix what it says (a key file that is there, or an agent that has it), then run "isdlc attest".',
  }),
  SIGNING_NOT_SET_UP: (p) => ({
    what: `Git is not set up to sign with an SSH key: ${p.detail}.`,
    fix: 'Run "git config --global gpg.format ssh" and "git config --global user.signingkey ~/.ssh/<key>.pub", then "isdlc attest"; or sign with a passkey in the page: isdlc ui.',
  }),
  NOTHING_TO_ATTEST: (p) => ({
    what: `There is no statement to make about run ${p.run}: ${p.detail}.`,
    fix: 'Run "isdlc history --all" to see the runs there are, and name one: isdlc attest <run>.',
  }),
  NOTHING_TO_COUNTERSIGN: (p) => ({
    what: `No statement about ${p.named} is believed here${p.why.length === 0 ? "" : `: ${list(p.why)}`}.`,
    fix: "Fetch them (git fetch origin refs/notes/isdlc:refs/notes/origin/isdlc), say whose keys count with --signers, and try again.",
  }),
  ARCHIVE_INVALID: (p) => ({
    what: `${p.file} cannot be relied on: ${p.detail}.`,
    fix: "Have it made again where the run was: isdlc export <run>. Nothing was imported.",
  }),
  IMPORT_UNKNOWN: (p) => ({
    what: `${p.folder} is nothing that can be imported: ${p.detail}.`,
    fix: "Give a spec-kit feature, an OpenSpec change, a Kiro spec, a project with .isdlc/state.json, or an archive of isdlc export.",
  }),
  POLICY_INVALID: (p) => ({
    what: `The policy ${p.file} is not understood: ${p.detail}.`,
    fix: "Fix the file; docs/attestation.md has every rule. Nothing was verified.",
  }),
  COMMITS_UNKNOWN: (p) => ({
    what: `Git knows no commits by the name ${p.named}.`,
    fix: "Name a range (main..topic), a branch or a commit; in a shallow clone, fetch the commits first.",
  }),
  UNEXPECTED: (p) => ({
    what: `isdlc failed in a way that nobody thought of: ${p.detail}.`,
    fix: 'Try it again; "isdlc doctor" looks for what is wrong here. With ISDLC_TRACE=1 it shows where it failed.',
  }),
  ...teamDescriptions,
  USAGE: (p) => ({ what: p.detail, fix: `Usage: ${p.usage}` }),
};

/** What happened, and the command that fixes it. */
export function describe(problem: Problem): Description {
  const tell = descriptions[problem.code] as (problem: Problem) => Description; // keyed by the code just read
  return tell(problem);
}

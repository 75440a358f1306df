import type { Problem } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import type { AgentWork } from "../../ports/callers.ts";
import type { Channel, Initiator, Person } from "../../schema/people.ts";
import { currentRun } from "../project/current-run.ts";
import type { Project } from "../project/project.ts";
import { agentWork } from "./agent-work.ts";
/** What to authorize: the command for refusal messages, and the name to record. */
export type Request = {
  readonly verb: string;
  /** Name to record instead of the detected one. */
  readonly name?: string | undefined;
  /** State of the run, if already loaded. */
  readonly state?: RunState;
  /**
   * True for a change of the user's own settings that answers nothing. It is allowed at a terminal or with a token,
   * even if answers need a passkey.
   */
  readonly isOwn?: boolean;
};

export type Authorization =
  | { readonly ok: true; readonly person: Person; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problem: Problem };

/** Returns the person behind a decision, or the problem. An agent is refused with any credential. */
export async function authorize(project: Project, credential: Credential, request: Request): Promise<Authorization> {
  const state = request.state ?? (await currentRun(project)).state;
  const context = { project, request, state, work: await agentWork(project, state) };
  const checked = checks[credential.is](credential as never, context); // keyed by the variant just read
  if (!checked.ok) return checked;
  const { settings, warnings, found, bad } =
    state.is === "active" ? project.settings.readForRun(state.run.run) : project.settings.read();
  if (found === null || bad.includes("approvals")) return { ok: false, problem: settingsUnreadable(project) };
  const { approvals } = settings;
  if (approvals !== undefined && !isAllowed(checked.person, approvals, request))
    return { ok: false, problem: approvals.includes("passkey") ? needsPasskey(request) : needsPerson(request) };
  return { ok: true, person: named(checked.person, request), warnings };
}

function isAllowed({ channel }: Person, approvals: readonly Channel[], { isOwn = false }: Request): boolean {
  const isDoneHere = isOwn && (channel === "terminal" || channel === "token");
  return approvals.includes(channel) || (isDoneHere && approvals.includes("passkey"));
}

export type Initiation =
  | { readonly ok: true; readonly initiator: Initiator }
  | { readonly ok: false; readonly problem: Problem };

/** Identifies the caller that starts work: a person or a script, never an agent. */
export async function identifyInitiator(project: Project, request: Request): Promise<Initiation> {
  const state = request.state ?? (await currentRun(project)).state;
  const caller = project.callers.identify(await agentWork(project, state));
  if (caller.kind === "agent") return { ok: false, problem: answeredByAgent(request, caller.evidence) };
  if (caller.kind === "person") return { ok: true, initiator: named(caller.person, request) };
  return { ok: true, initiator: { name: request.name ?? "script", channel: "script" } };
}

/** Unreadable settings are a problem, because the allowed channels must not be guessed. */
export const settingsUnreadable = ({ settings }: Pick<Project, "settings">): Problem => ({
  code: "SETTINGS_UNREADABLE",
  file: settings.file,
  detail: 'it is not a JSON object, or its "approvals" are invalid',
});

type CallContext = {
  readonly project: Project;
  readonly request: Request;
  readonly state: RunState;
  readonly work: AgentWork;
};
type IdentityCheck = { readonly ok: true; readonly person: Person } | { readonly ok: false; readonly problem: Problem };
type Checks = {
  readonly [K in Credential["is"]]: (credential: Extract<Credential, { is: K }>, context: CallContext) => IdentityCheck;
};

const checks: Checks = {
  terminal(_credential, { project, request, work }) {
    const caller = project.callers.identify(work);
    if (caller.kind === "agent") return { ok: false, problem: answeredByAgent(request, caller.evidence) };
    if (caller.kind === "nobody") return { ok: false, problem: needsPerson(request) };
    if (caller.kind === "unknown") return unknownCaller(request, caller.why);
    return caller.kind === "suspect" ? suspiciousTerminal(caller.why) : { ok: true, person: caller.person };
  },
  prompt({ pid }, { project, request, work }) {
    const caller = project.callers.identifyProcess(pid, work);
    if (caller.kind === "agent") return { ok: false, problem: answeredByAgent(request, caller.evidence) };
    if (caller.kind === "nobody") return { ok: false, problem: needsPerson(request) };
    if (caller.kind === "unknown") return unknownCaller(request, caller.why);
    if (caller.kind === "suspect") return suspiciousTerminal(caller.why);
    const { person } = caller;
    return person.suspicious === undefined
      ? { ok: true, person: { ...person, channel: "prompt" } }
      : suspiciousTerminal(person.suspicious);
  },
  token({ token }, { project, request, state, work }) {
    const { callers, tokens } = project;
    const caller = callers.identify(work);
    if (caller.kind === "agent") return { ok: false, problem: answeredByAgent(request, caller.evidence) };
    const checked = tokens.verify(token);
    if (!checked.ok) return tokenRefused(checked.detail);
    const madeAt = [checked.createdAt, tokens.changedAt() ?? ""];
    if (state.is === "active" && madeAt.some((time) => time >= state.run.startedAt))
      return tokenRefused("it was made while this run was open");
    const suspicious = callers.suspicion(work);
    const person: Person = { name: "operator", channel: "token", origin: callers.origin() };
    return { ok: true, person: suspicious === null ? person : { ...person, suspicious } };
  },
  page: ({ name }, context) => atThePage(name, "dashboard", context),
  passkey: ({ name }, context) => atThePage(name, "passkey", context),
};

function atThePage(
  name: string,
  channel: Channel,
  { project: { callers }, request, work }: CallContext,
): IdentityCheck {
  const caller = callers.identify(work);
  if (caller.kind === "agent") return { ok: false, problem: answeredByAgent(request, caller.evidence) };
  const suspicious = callers.suspicion(work);
  const person: Person = { name, channel, origin: callers.origin() };
  return { ok: true, person: suspicious === null ? person : { ...person, suspicious } };
}

const named = (person: Person, { name }: Request): Person => (name === undefined ? person : { ...person, name });

const needsPerson = ({ verb }: Request): Problem => ({ code: "NEEDS_PERSON", verb });
const needsPasskey = ({ verb }: Request): Problem => ({ code: "PASSKEY_NEEDED", verb });
const answeredByAgent = ({ verb }: Request, evidence: string): Problem => ({
  code: "ANSWERED_BY_AGENT",
  verb,
  evidence,
});
const unknownCaller = ({ verb }: Request, why: string): IdentityCheck => ({
  ok: false,
  problem: { code: "CALLER_UNKNOWN", verb, why },
});
const suspiciousTerminal = (why: string): IdentityCheck => ({
  ok: false,
  problem: { code: "TERMINAL_SUSPICIOUS", why },
});
const tokenRefused = (detail: string): IdentityCheck => ({ ok: false, problem: { code: "TOKEN_REFUSED", detail } });

/**
 * Proof offered by a caller to be a person. An interface with a new kind adds a variant here and its check to the
 * table in `authorize.ts`; no other code depends on it.
 */
export type Credential =
  /** Terminal of this process. */
  | { readonly is: "terminal" }
  /** Approval token, created before the run. */
  | { readonly is: "token"; readonly token: string }
  /** Command typed at the prompt of an agent session and passed on by the agent product, whose process is checked. */
  | { readonly is: "prompt"; readonly pid: number }
  /** Web UI session, checked by its server, which this user started. */
  | { readonly is: "page"; readonly name: string }
  /** Decision signed with a passkey; the web UI server has verified the signature. */
  | { readonly is: "passkey"; readonly name: string };

import { agentWork } from "../../app/authorize/agent-work.ts";
import { authorize, settingsUnreadable } from "../../app/authorize/authorize.ts";
import { currentRun } from "../../app/project/current-run.ts";
import type { LocalProject } from "../../compose/project.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import type { Person } from "../../schema/people.ts";

/** User who started the server. `isPerson` is false if the caller may be a script. */
export type Opener = { readonly name: string; readonly isPerson: boolean };

/**
 * Identifies the caller who starts the server, and so gets its link.
 * @throws ProblemError ANSWERED_BY_AGENT for an agent, TOKEN_REFUSED for an invalid token.
 */
export async function identifyOpener(project: LocalProject, token: string | undefined, user: string): Promise<Opener> {
  const { state } = await currentRun(project);
  const caller = project.callers.identify(await agentWork(project, state));
  if (caller.kind === "agent")
    throw new ProblemError({ code: "ANSWERED_BY_AGENT", verb: "ui", evidence: caller.evidence });
  if (caller.kind === "person") return { name: caller.person.name, isPerson: true };
  if (token === undefined) return { name: user, isPerson: false };
  const checked = project.tokens.verify(token);
  if (!checked.ok) throw new ProblemError({ code: "TOKEN_REFUSED", detail: checked.detail });
  return { name: user, isPerson: true };
}

export type DecisionContext = {
  /** Run that the decision belongs to, if any. */
  readonly state?: RunState;
  /** True if the decision has a passkey's signature, which was verified. */
  readonly isSigned?: boolean;
};

/**
 * Returns the person who uses the web UI, for one decision.
 * @throws ProblemError if this channel may not answer.
 */
export async function personAt(
  project: LocalProject,
  opener: Opener,
  { state, isSigned = false }: DecisionContext = {},
): Promise<Person> {
  requireOpener(opener, "answer");
  const credential = { is: isSigned ? "passkey" : "page", name: opener.name } as const;
  const request = { verb: "answer", ...(state === undefined ? {} : { state }) };
  const authorized = await authorize(project, credential, request);
  if (!authorized.ok) throw new ProblemError(authorized.problem);
  return authorized.person;
}

/**
 * Checks only that a person started the server. This is enough to start or continue work, which a script may do as
 * well.
 * @throws ProblemError NEEDS_PERSON.
 */
export function requireOpener({ isPerson }: Opener, verb: string): void {
  if (!isPerson) throw new ProblemError({ code: "NEEDS_PERSON", verb });
}

/** Returns the reason why the web UI is read-only, if it is. */
export function whyReadOnly(project: LocalProject, opener: Opener): string | null {
  if (!opener.isPerson)
    return "This page was opened without a terminal, so nothing can be decided in it. Run isdlc ui in a terminal of yours.";
  const { settings, found, bad } = project.settings.read();
  if (found === null || bad.includes("approvals")) throw new ProblemError(settingsUnreadable(project));
  const { approvals } = settings;
  if (approvals === undefined || approvals.includes("dashboard")) return null;
  if (!approvals.includes("passkey")) return `Your setting "approvals" allows ${approvals.join(", ")} only.`;
  return project.passkeys.list().length > 0 ? null : "No passkey is registered. Run isdlc passkey add in a terminal.";
}

import { agentWork } from "../../app/authorize/agent-work.ts";
import { authorize, settingsUnreadable } from "../../app/authorize/authorize.ts";
import { currentRun } from "../../app/project/current-run.ts";
import type { LocalProject } from "../../compose/project.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import type { Person } from "../../schema/people.ts";

/** Who opened the page's server: a person, or nobody who can be told apart from a script. */
export type Opener = { readonly name: string; readonly isPerson: boolean };

/** @throws ProblemError ANSWERED_BY_AGENT for an agent: whoever starts the server gets the link. */
export async function openerOf(project: LocalProject, token: string | undefined, user: string): Promise<Opener> {
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

/** The person at the page, for one decision. @throws ProblemError where this channel may not answer. */
export async function personAt(project: LocalProject, opener: Opener, state?: RunState): Promise<Person> {
  if (!opener.isPerson) throw new ProblemError({ code: "NEEDS_PERSON", verb: "answer" });
  const credential = { is: "page", name: opener.name } as const;
  const authorized = await authorize(project, credential, {
    verb: "answer",
    ...(state === undefined ? {} : { state }),
  });
  if (!authorized.ok) throw new ProblemError(authorized.problem);
  return authorized.person;
}

/** Why nothing can be decided here; null where it can. */
export function whyReadOnly(project: LocalProject, opener: Opener): string | null {
  if (!opener.isPerson)
    return "This page was opened without a terminal, so nothing can be decided in it. Run isdlc ui in a terminal of yours.";
  const { settings, found, bad } = project.settings.read();
  if (found === null || bad.includes("approvals")) throw new ProblemError(settingsUnreadable(project));
  if (settings.approvals === undefined || settings.approvals.includes("dashboard")) return null;
  return `Your setting "approvals" allows ${settings.approvals.join(", ")} only.`;
}

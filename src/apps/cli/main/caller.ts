import { type Authorization, authorize, identifyInitiator, type Request } from "../../../app/authorize/authorize.ts";
import type { Credential } from "../../../app/authorize/credential.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import type { Project } from "../../../app/project/project.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { RunState } from "../../../core/run.ts";
import type { Initiator, Person } from "../../../schema/people.ts";
import { flag, type Invocation, text } from "../grammar/verb.ts";
import { givenToken } from "./operator-token.ts";

/** The person behind a deciding verb. @throws ProblemError when there is none, or when it is an agent. */
export async function personOf(invocation: Invocation, project: LocalProject, state?: RunState): Promise<Person> {
  const found = await authorize(project, credentialOf(invocation), requestOf(invocation, state));
  const { person, warnings } = required(found);
  for (const warning of warnings) invocation.io.err(`warning: ${warning}`);
  return person;
}

/** Who begins work: a person, or a script. @throws ProblemError when it is an agent. */
export async function initiatorOf(invocation: Invocation, project: Project, state?: RunState): Promise<Initiator> {
  const isDecision = flag(invocation.values, "no-supervised") && givenToken(invocation) !== undefined;
  if (invocation.credential !== undefined || isDecision)
    return required(await authorize(project, credentialOf(invocation), requestOf(invocation, state))).person;
  return required(await identifyInitiator(project, requestOf(invocation, state))).initiator;
}

/** True where a first token may be made without a terminal: asked for with --yes, none made before, no run open. */
export async function mayMakeFirstToken(invocation: Invocation, project: Project): Promise<boolean> {
  const { state } = await currentRun(project);
  await initiatorOf(invocation, project, state);
  const isFresh = project.tokens.createdAt() === null && state.is !== "active";
  return isFresh && flag(invocation.values, "yes");
}

function credentialOf(invocation: Invocation): Credential {
  if (invocation.credential !== undefined) return invocation.credential;
  const token = givenToken(invocation);
  return token === undefined ? { is: "terminal" } : { is: "token", token };
}

/** They change what belongs to the person, and answer nothing. */
const OWN: ReadonlySet<string> = new Set(["config", "trust", "token", "passkey"]);

const requestOf = ({ verb, values }: Invocation, state: RunState | undefined): Request => ({
  verb: verb.name,
  name: text(values, "as"),
  isOwn: OWN.has(verb.name),
  ...(state === undefined ? {} : { state }),
});

type Refused = Extract<Authorization, { ok: false }>;

function required<T extends { readonly ok: true }>(found: T | Refused): T {
  if (!found.ok) throw new ProblemError(found.problem);
  return found;
}

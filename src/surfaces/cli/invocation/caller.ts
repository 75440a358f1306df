import { readFileSync } from "node:fs";
import { eraseFromProcess } from "../../../adapters/identity/operator-token.ts";
import {
  type Authorization,
  authorize,
  identifyInitiator,
  type Request,
  type Credential,
} from "../../../app/authorize/authorize.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import type { Project } from "../../../app/project/project.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { RunState } from "../../../core/run.ts";
import type { Initiator, Person } from "../../../schema/people.ts";
import { flag, type Invocation, text } from "./verb.ts";

/**
 * Returns the person who runs a deciding command.
 * @throws ProblemError if there is none, or if the caller is an agent.
 */
export async function identifyPerson(invocation: Invocation, project: LocalProject, state?: RunState): Promise<Person> {
  const found = await authorize(project, readCredential(invocation), toAuthorizationRequest(invocation, state));
  const { person, warnings } = required(found);
  for (const warning of warnings) invocation.io.err(`warning: ${warning}`);
  return person;
}

/**
 * Returns the person or script that starts work.
 * @throws ProblemError if the caller is an agent.
 */
export async function identifyStarter(invocation: Invocation, project: Project, state?: RunState): Promise<Initiator> {
  const isDecision = flag(invocation.values, "no-supervised") && givenToken(invocation) !== undefined;
  if (invocation.credential !== undefined || isDecision)
    return required(await authorize(project, readCredential(invocation), toAuthorizationRequest(invocation, state)))
      .person;
  return required(await identifyInitiator(project, toAuthorizationRequest(invocation, state))).initiator;
}

/** True if a first token may be created without a terminal: requested with --yes, no earlier token, no open run. */
export async function mayMakeFirstToken(invocation: Invocation, project: Project): Promise<boolean> {
  const { state } = await currentRun(project);
  await identifyStarter(invocation, project, state);
  const isFresh = project.tokens.createdAt() === null && state.is !== "active";
  return isFresh && flag(invocation.values, "yes");
}

function readCredential(invocation: Invocation): Credential {
  if (invocation.credential !== undefined) return invocation.credential;
  const token = givenToken(invocation);
  return token === undefined ? { is: "terminal" } : { is: "token", token };
}

/** Commands that change the user's own settings and credentials, and answer nothing. */
const OWN: ReadonlySet<string> = new Set(["config", "trust", "token", "passkey"]);

const toAuthorizationRequest = ({ verb, values }: Invocation, state: RunState | undefined): Request => ({
  verb: verb.name,
  name: text(values, "as"),
  isOwn: OWN.has(verb.name),
  ...(state === undefined ? {} : { state }),
});

type RefusedAuthorization = Extract<Authorization, { ok: false }>;

function required<T extends { readonly ok: true }>(found: T | RefusedAuthorization): T {
  if (!found.ok) throw new ProblemError(found.problem);
  return found;
}

const VARIABLE = "ISDLC_OPERATOR_TOKEN";

/**
 * Returns a copy of the environment that contains the token, and removes the token from the process itself: neither
 * child processes nor anyone who inspects the process can read it there.
 */
export function withTokenHidden(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = { ...env };
  const token = env[VARIABLE];
  if (token === undefined || token === "") return kept;
  delete env[VARIABLE];
  eraseFromProcess(token);
  return kept;
}

let fromDescriptor: string | undefined; // a descriptor can be read only once

/** Returns the caller's token, from an argument, a descriptor or the environment. */
export function givenToken({ values, env }: Pick<Invocation, "values" | "env">): string | undefined {
  const told = text(values, "token");
  if (told !== undefined) {
    eraseFromProcess(told);
    return told;
  }
  const descriptor = text(values, "token-fd");
  if (descriptor === undefined) return env[VARIABLE];
  return (fromDescriptor ??= readToken(descriptor));
}

const MAX_TOKEN_BYTES = 4096;

function readToken(descriptor: string): string {
  const refuse = (detail: string): ProblemError => new ProblemError({ code: "TOKEN_REFUSED", detail });
  if (!/^\d{1,4}$/.test(descriptor))
    throw refuse(`"${descriptor.slice(0, 40)}" is not the number of an open descriptor`);
  try {
    return readFileSync(Number(descriptor)).subarray(0, MAX_TOKEN_BYTES).toString("utf8").trim();
  } catch {
    throw refuse(`nothing could be read from descriptor ${descriptor}`);
  }
}

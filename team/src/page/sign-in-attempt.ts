import type { Context } from "hono";
import type { ApiProblem } from "../../../src/schema/api.ts";
import { FORGOTTEN_AFTER, type RefusedTokens } from "../people/refused-tokens.ts";
import { remoteAddress, type TeamEnv } from "../server/team-server.ts";
import type { TeamPage } from "./team-page-parts.ts";

/** Context of sign-in routes. All sign-in methods share one count of refused attempts. */
export type Entrance = { readonly page: TeamPage; readonly refused: RefusedTokens };

export type SignInAttempt = {
  /** Secret of the attempt. Secrets that succeeded before are exempt from the limit. */
  readonly known: string;
  /** Returns null if the attempt is refused. */
  readonly answer: () => Promise<Response | null>;
  readonly refusal: ApiProblem;
};

/** Answers a sign-in attempt, unless too many attempts from its address were refused. */
export async function attempt(
  { refused }: Entrance,
  context: Context<TeamEnv>,
  { known, answer, refusal }: SignInAttempt,
): Promise<Response> {
  const address = remoteAddress(context);
  if (!refused.mayTry(address, known)) {
    context.header("Retry-After", String(FORGOTTEN_AFTER));
    return context.json({ problem: TOO_MANY }, 429);
  }
  const answered = await answer();
  if (answered === null) {
    refused.noteRefused(address);
    return context.json({ problem: refusal }, 401);
  }
  refused.noteGood(known);
  return answered;
}

const TOO_MANY: ApiProblem = {
  code: "TOO_MANY_REQUESTS",
  what: "Too many sign-ins from this address were refused.",
  fix: `Wait ${FORGOTTEN_AFTER} seconds, then try again.`,
};

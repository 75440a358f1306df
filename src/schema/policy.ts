import * as z from "zod/mini";
import { Channel } from "./people.ts";

const names = z.array(z.string().check(z.minLength(1), z.maxLength(200)));

/** What a repository asks of commits. Strict: a rule that is misspelled must not be taken for one that is not there. */
export const Policy = z.strictObject({
  /** Which commits must be covered: all, or those that agents made. */
  commits: z._default(z.enum(["all", "agents"]), "all"),
  /** Who may vouch, as the list of signers names them; left out: everyone on it. */
  people: z.optional(names),
  /** Workflows that a covered commit may come from. */
  workflows: z.optional(names),
  /** Phases that must be completed and accepted. */
  phases: z._default(names, []),
  /** Phases whose gate a person must have answered with Continue. */
  gates: z._default(names, []),
  /** How those gates may be answered; left out: in every way a person can. */
  channels: z.optional(z.array(Channel)),
  /** Those gates must be signed with a passkey of somebody on the list of signers, and of `people` where that is given. */
  passkeys: z._default(z.boolean(), false),
  /** Two people must vouch, each with a key of their own. */
  fourEyes: z._default(z.boolean(), false),
  /** What nobody may have gone on over: "check", a check by name ("tests"), "review", "phase", "step", "supervision". */
  forbidOverruled: z._default(names, []),
  /** Agents must have been in a sandbox. */
  sandbox: z._default(z.boolean(), false),
});
export type Policy = z.infer<typeof Policy>;

/** Every commit is covered by a statement that verifies; nothing more. */
export const DEFAULT_POLICY: Policy = Policy.parse({});

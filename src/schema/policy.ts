import * as z from "zod/mini";
import { Channel } from "./people.ts";

const names = z.array(z.string().check(z.minLength(1), z.maxLength(200)));

const ObjectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

/** What a repository asks of commits. Strict: a rule that is misspelled must not be taken for one that is not there. */
export const Policy = z.strictObject({
  /** Which commits must be covered: all, or those that agents made. */
  commits: z._default(z.enum(["all", "agents"]), "all"),
  /** What counts if the base moved and the merged tree is therefore not the approved one: git's own merge, a landing statement with checks, or nothing. */
  movedBase: z._default(z.enum(["merge", "carried", "never"]), "merge"),
  /** Statements of runs that are neither ended nor sealed count as well. */
  openRuns: z._default(z.boolean(), false),
  /** Signers that are team servers, named as on the list of signers: never counted as people. */
  servers: z._default(names, []),
  /** Keys whose statements count only for a run whose last state is an ancestor of the commit, or is it. */
  revokedSigners: z._default(
    z.array(z.strictObject({ key: z.string().check(z.regex(/^SHA256:[A-Za-z0-9+/]{43}$/)), lastCommit: ObjectId })),
    [],
  ),
  /** Origins of the pages on which passkeys may sign, with port; left out: those that fit the passkey. */
  origins: z.optional(names),
  /** Root commit of the repository that the statements are for. */
  repository: z.optional(ObjectId),
  /** Who may vouch, as the list of signers names them; left out: everyone on it. */
  people: z.optional(names),
  /** Workflows that a covered commit may come from. */
  workflows: z.optional(names),
  /** Phases that must be completed and accepted. */
  phases: z._default(names, []),
  /** Phases whose gate a person must have answered with Continue. */
  gates: z._default(names, []),
  /** How those gates may be answered; left out: in every way a person can. */
  channels: z.optional(z.array(z.union([Channel, z.literal("pull-request")]))),
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

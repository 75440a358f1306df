import * as z from "zod/mini";
import { Channel } from "./people.ts";

const names = z.array(z.string().check(z.minLength(1), z.maxLength(200)));

const ObjectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

/** Rules of a repository for its commits. Strict: a misspelled rule must not be ignored. */
export const Policy = z.strictObject({
  /** Commits that must be covered: all, or only those made by agents. */
  commits: z._default(z.enum(["all", "agents"]), "all"),
  /**
   * Evidence accepted if the base moved and the merged tree therefore differs from the approved one: git's own merge,
   * a landing statement with checks, or none.
   */
  movedBase: z._default(z.enum(["merge", "carried", "never"]), "merge"),
  /** If true, statements of runs that are neither ended nor sealed also count. */
  openRuns: z._default(z.boolean(), false),
  /** Signers that are team servers, by their names in the list of signers. They never count as people. */
  servers: z._default(names, []),
  /** Revoked keys. Their statements count only if the run's last state is `lastCommit` or an ancestor of it. */
  revokedSigners: z._default(
    z.array(z.strictObject({ key: z.string().check(z.regex(/^SHA256:[A-Za-z0-9+/]{43}$/)), lastCommit: ObjectId })),
    [],
  ),
  /** Origins (with port) of the pages on which passkeys may sign. Missing: origins that match the passkey. */
  origins: z.optional(names),
  /** Root commit of the repository to which the statements belong. */
  repository: z.optional(ObjectId),
  /** People who may sign, by their names in the list of signers. Missing: everyone in the list. */
  people: z.optional(names),
  /** Workflows allowed for covered commits. */
  workflows: z.optional(names),
  /** Phases that must be completed and accepted. */
  phases: z._default(names, []),
  /** Phases whose gate a person must have answered with Continue. */
  gates: z._default(names, []),
  /** Channels allowed for these gates. Missing: every channel of a person. */
  channels: z.optional(z.array(z.union([Channel, z.literal("pull-request")]))),
  /** If true, these gates must be signed with a passkey of someone in the list of signers, and in `people` if set. */
  passkeys: z._default(z.boolean(), false),
  /** If true, two people must sign, each with their own key. */
  fourEyes: z._default(z.boolean(), false),
  /**
   * Obstacles that must not be overruled: "check", a check by name ("tests"), "review", "phase", "step",
   * "supervision".
   */
  forbidOverruled: z._default(names, []),
  /** If false, no statement about adopted work counts: isdlc did not see who made it, or how. */
  adopted: z._default(z.boolean(), true),
  /** If true, agents must have run in a sandbox. */
  sandbox: z._default(z.boolean(), false),
});
export type Policy = z.infer<typeof Policy>;

/** Requires only that a verified statement covers every commit. */
export const DEFAULT_POLICY: Policy = Policy.parse({});

import { ProblemError } from "../../../src/core/problem.ts";
import type { LeaseKeeper } from "./leases.ts";
import type { Principal } from "./principals.ts";

/** What the routes work with. */
export type TeamServer = LeaseKeeper & {
  readonly version: string;
  /** Public keys as PEM, by which everybody can tell this server's decisions. */
  readonly keys: readonly string[];
  readonly log: (line: string) => void;
};

export type TeamEnv = { Variables: { principal: Principal } };

/** The name of who asks, for what only persons or only workers may do. @throws ProblemError NOT_ALLOWED */
export function only(kind: Principal["kind"], principal: Principal): string {
  if (principal.kind === kind) return principal.id;
  const what =
    kind === "person"
      ? "A worker's token reports what was done. It begins nothing, and never answers a gate."
      : "This is for workers.";
  throw new ProblemError({ code: "NOT_ALLOWED", what, fix: `Use the token of a ${kind}.` });
}

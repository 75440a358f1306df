import { isIP } from "node:net";
import { THIS_MACHINE } from "../../../src/adapters/identity/relying-party.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { TeamPage } from "../page/team-page-parts.ts";

type Page = Pick<TeamPage, "origins">;

/**
 * Returns the origin for passkeys of this server, or null if browsers would refuse them: without TLS (except on this
 * machine), or without a host name.
 */
export function passkeyOrigin({ origins }: Page): string | null {
  const [origin = ""] = origins();
  const { protocol, hostname } = new URL(origin);
  const isSafe = protocol === "https:" || hostname === THIS_MACHINE;
  const isNamed = !hostname.startsWith("[") && isIP(hostname) === 0;
  return isSafe && isNamed ? origin : null;
}

/** @throws ProblemError NOT_ALLOWED if the server has no such origin */
export function needPasskeyOrigin(page: Page): string {
  const origin = passkeyOrigin(page);
  if (origin !== null) return origin;
  throw new ProblemError({
    code: "NOT_ALLOWED",
    what: "Browsers use passkeys only with a server that has a name and a certificate.",
    fix: "Start it with its address: isdlc server --origin https://isdlc.example.org",
  });
}

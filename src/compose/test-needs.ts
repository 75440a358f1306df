import { join } from "node:path";
import type { TestNeeds } from "../adapters/sandbox/test-sandbox.ts";
import { ProblemError } from "../core/problem.ts";

export type AllowedToTests = TestNeeds & {
  /** Names of variables of the person's environment. */
  readonly variables: readonly string[];
};

/** What tests may use besides a copy of the tree, read from the words of a person. */
export function parseTestNeeds(words: readonly string[], home: string): AllowedToTests {
  const after = (prefix: string): string[] =>
    words.flatMap((word) => (word.startsWith(prefix) ? [word.slice(prefix.length)] : []));
  const paths = (prefix: string): string[] =>
    after(prefix).map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));
  const docker = words.includes("docker") ? DOCKER_SOCKETS : [];
  return {
    network: words.includes("network"),
    read: paths("read:"),
    write: [...paths("write:"), ...docker],
    variables: [...after("env:"), ...(docker.length > 0 ? ["DOCKER_HOST"] : [])],
  };
}

const DOCKER_SOCKETS = ["/run/docker.sock", "/var/run/docker.sock"];

const KNOWN = /^(?:network|docker|env:[A-Za-z_]\w*|(?:read|write):(?:~?\/).+)$/;

/** @throws ProblemError USAGE for a word that means nothing. */
export function requireKnownNeeds(words: readonly string[]): void {
  const odd = words.find((word) => !KNOWN.test(word));
  if (odd === undefined) return;
  const usage = "isdlc trust --allow network,docker,env:NAME,read:/path,write:/path";
  throw new ProblemError({ code: "USAGE", detail: `"${odd.slice(0, 80)}" is nothing tests can be allowed.`, usage });
}

import { join } from "node:path";
import { real } from "../adapters/sandbox/bounds.ts";
import { isWithin } from "../adapters/sandbox/is-within.ts";
import type { TestNeeds } from "../adapters/sandbox/test-sandbox.ts";
import { ProblemError } from "../core/problem.ts";

export type AllowedToTests = TestNeeds & {
  /** Names of the user's environment variables. */
  readonly variables: readonly string[];
};

/** Parses the permissions granted by a user: resources that tests may use in addition to a copy of the tree. */
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

type Tree = { readonly root: string; readonly home: string };

/** @throws ProblemError USAGE for an unknown permission, and for one without effect. */
export function requireKnownNeeds(words: readonly string[], { root, home }: Tree): void {
  const usage = "isdlc trust --allow network,docker,env:NAME,read:/path,write:/path";
  const odd = words.find((word) => !KNOWN.test(word));
  if (odd !== undefined)
    throw new ProblemError({ code: "USAGE", detail: `"${odd.slice(0, 80)}" is nothing tests can be allowed.`, usage });
  const { read, write } = parseTestNeeds(words, home);
  const inside = [...read, ...write].find((path) => isWithin(real(path) ?? path, real(root) ?? root));
  if (inside === undefined) return;
  const detail = `${inside.slice(0, 200)} is in the project. Tests read and write a copy of the project, which is deleted after each run: nothing in it can be allowed.`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}

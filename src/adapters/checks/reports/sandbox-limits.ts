import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../../sandbox/is-within.ts";

export type Place = { readonly root: string; readonly home: string; readonly offline: boolean };

type Limit = (text: string, place: Place) => string | null;

/**
 * What the sandbox kept tests from, with the command that allows it. Empty unless every failure looks like it: a test
 * that fails for another reason is the work's fault.
 */
export function sandboxLimits(failures: readonly string[], place: Place): string[] {
  const found = failures.map((text) => LIMITS.map((read) => read(text, place)).find((limit) => limit !== null) ?? null);
  return found.includes(null) ? [] : [...new Set(found.flatMap((limit) => limit ?? []))].slice(0, MAX_LIMITS);
}

const MAX_LIMITS = 10;

/** A path in quotes, as Node and Python print it, or at the end of a line, as a shell does. */
const PATH = String.raw`(?:['"\`](/[^'"\`\n]+)['"\`]|(?<![^\s(:])(/[^\s'"\`:]+))`;
const pathAfter = (text: string, words: string): string | null => {
  const match = new RegExp(`(?:${words})[^\\n]*?${PATH}|${PATH}[^\\n]{0,9}(?:${words})`).exec(text);
  return match?.slice(1).find(Boolean) ?? null;
};

const READ_ONLY = "EROFS|[Rr]ead-only file ?system|Errno 30";

const readOnly: Limit = (text, { root }) => {
  if (!new RegExp(READ_ONLY).test(text)) return null;
  const path = pathAfter(text, READ_ONLY);
  if (path === null) return "writing to a folder that is read-only for tests";
  return isWithin(path, root)
    ? `writing to ${path}, which is read-only for tests`
    : `writing to ${path}: isdlc trust --allow write:${dirname(path)}`;
};

const denied: Limit = (text, { root }) => {
  const path = pathAfter(text, "EACCES|EPERM|[Pp]ermission denied");
  return path === null || isWithin(path, root) ? null : `using ${path}: isdlc trust --allow write:${dirname(path)}`;
};

/** Only what is there outside: tests may miss any file, but this one is hidden from them. */
const hidden: Limit = (text, { root, home }) => {
  const path = pathAfter(text, "ENOENT|[Nn]o such file or directory");
  const isHidden = path !== null && [home, "/tmp", "/var/tmp", "/run"].some((folder) => isWithin(path, folder));
  if (!isHidden || isWithin(path, root) || !existsSync(path)) return null;
  return `reading ${path}: isdlc trust --allow read:${path}`;
};

const docker: Limit = (text) =>
  /Cannot connect to the Docker daemon|docker\.sock/.test(text) ? "docker: isdlc trust --allow docker" : null;

const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|Temporary failure in name resolution|Name or service not known|Could not resolve host|[Nn]etwork is unreachable/;

const network: Limit = (text, { offline }) =>
  offline && NO_NETWORK.test(text) ? "the network: isdlc trust --allow network" : null;

const LIMITS: readonly Limit[] = [docker, readOnly, denied, hidden, network];

/** Those of the read-only entries in which a program that failed wanted to write. */
export function writtenEntries(output: string, readOnlyEntries: readonly string[]): string[] {
  const refused = new RegExp(READ_ONLY);
  const lines = output.split("\n").filter((line) => refused.test(line));
  return readOnlyEntries.filter((entry) => lines.some((line) => names(line, entry)));
}

/** A path as such: absolute or relative, to the entry or to a file in it. */
function names(line: string, entry: string): boolean {
  const at = line.indexOf(entry);
  const before = at <= 0 ? " " : (line[at - 1] ?? " ");
  const after = line[at + entry.length] ?? " ";
  return at !== -1 && /[\s'"`/:(]/.test(before) && /[\s'"`/:)]/.test(after);
}

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../../sandbox/bounds.ts";

export type SandboxPlace = { readonly root: string; readonly home: string; readonly offline: boolean };

type Limit = (text: string, place: SandboxPlace) => string | null;

/**
 * Lists what the sandbox denied to tests, with the command that allows it. Empty if any failure has another cause:
 * such a failure is the fault of the work.
 */
export function sandboxLimits(failures: readonly string[], place: SandboxPlace): string[] {
  const found = failures.map((text) => LIMITS.map((read) => read(text, place)).find((limit) => limit !== null) ?? null);
  return found.includes(null) ? [] : [...new Set(found.flatMap((limit) => limit ?? []))].slice(0, MAX_LIMITS);
}

const MAX_LIMITS = 10;

/** Path in quotes, as printed by Node and Python, or at the end of a line, as printed by a shell. */
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

/** Only paths that exist outside: any file may be missing, but the sandbox hides this one. */
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

/** Returns the read-only entries that a failed program tried to write to. */
export function writtenEntries(output: string, readOnlyEntries: readonly string[]): string[] {
  const refused = new RegExp(READ_ONLY);
  const lines = output.split("\n").filter((line) => refused.test(line));
  return readOnlyEntries.filter((entry) => lines.some((line) => names(line, entry)));
}

/** True if the line contains the entry or a file in it as an absolute or relative path. */
function names(line: string, entry: string): boolean {
  const at = line.indexOf(entry);
  const before = at <= 0 ? " " : (line[at - 1] ?? " ");
  const after = line[at + entry.length] ?? " ";
  return at !== -1 && /[\s'"`/:(]/.test(before) && /[\s'"`/:)]/.test(after);
}

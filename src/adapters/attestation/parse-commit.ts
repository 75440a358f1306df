import { isObjectId } from "../git/process/ref-name.ts";
import type { SeenCommit } from "../../core/attestation/history.ts";

/**
 * Parses a stored commit in the order used by git itself: tree, parents, author, committer. Settings that change the
 * output of `git log` have no effect. Returns null if the object is malformed.
 */
export function parseCommit(commit: string, content: Buffer): SeenCommit | null {
  const text = content.toString("utf8");
  const end = text.indexOf("\n\n");
  const lines = text.slice(0, end === -1 ? text.length : end).split("\n");
  const tree = readField(lines.shift(), "tree");
  const parents: string[] = [];
  while (lines[0]?.startsWith("parent ") === true) parents.push(readField(lines.shift(), "parent") ?? "");
  const author = readField(lines.shift(), "author");
  const committer = readField(lines.shift(), "committer");
  if (tree === null || author === null || committer === null) return null;
  if (![tree, ...parents].every((id) => isObjectId(id) && id.length === commit.length)) return null;
  const message = end === -1 ? "" : text.slice(end + 2);
  return {
    commit,
    tree,
    parents,
    committedAt: readMilliseconds(committer),
    author: readIdentity(author),
    committer: readIdentity(committer),
    subject: readSubject(message),
    trailers: trailersIn(message),
    message,
    attempts: attemptsIn(message),
  };
}

const readField = (line: string | undefined, name: string): string | null =>
  line?.startsWith(`${name} `) === true ? line.slice(name.length + 1) : null;

const readIdentity = (field: string): string => field.replace(/ -?\d+ [+-]\d+$/, "");

/** Treats an unreadable time as later than every signature. */
function readMilliseconds(committer: string): number {
  const seconds = / (\d{1,12}) [+-]\d{4}$/.exec(committer)?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}

/** Returns the first paragraph as one line. */
const readSubject = (message: string): string =>
  (message.replace(/^\s+/, "").split(/\n\s*\n/, 1)[0] ?? "").replaceAll(/\s*\n\s*/g, " ").trim();

/** Finds trailers anywhere in the message: a host that squashes commits joins their messages. */
const trailersIn = (message: string): string[] =>
  message
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^[A-Za-z0-9][A-Za-z0-9-]*\s*:\s*\S/.test(line));

const attemptsIn = (message: string): string[] => [
  ...new Set([...message.matchAll(/^\s*Isdlc-Attempt: (\S+)\s*$/gm)].map(([, attempt = ""]) => attempt)),
];

import type { RepositorySetting } from "./repository-settings.ts";

/** `Name <address>` of the author and of the committer. */
export type CommitIdentity = { readonly author: string; readonly committer: string };

/** Variables that override the identity from the settings. */
const TOLD = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];

/** Matches values in which git would drop nothing. */
const PLAIN = /^[^\p{Cc}\s<>.,:;"\\'\ufffd](?:[^\p{Cc}<>\ufffd]*[^\p{Cc}\s<>.,:;"\\'\ufffd])?$/u;

/**
 * Returns the identity of a commit, if the settings alone determine it. Returns null if only git should compose it:
 * with overriding variables, a time zone other than this program's, or a missing or unusual name.
 */
export function commitIdentity(settings: readonly RepositorySetting[], env: NodeJS.ProcessEnv): CommitIdentity | null {
  if (TOLD.some((name) => env[name] !== undefined) || !isOwnZone(env["TZ"])) return null;
  const last = (key: string): string | null => settings.findLast((setting) => setting.key === key)?.value ?? null;
  const [author, committer] = ["author", "committer"].map((role) => {
    const [name, email] = ["name", "email"].map((part) => last(`${role}.${part}`) ?? last(`user.${part}`) ?? "");
    return [name, email].every((value) => PLAIN.test(value ?? "")) ? `${name} <${email}>` : null;
  });
  return author && committer ? { author, committer } : null;
}

const isOwnZone = (zone: string | undefined): boolean =>
  zone === undefined || zone === new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Formats the time of a commit: seconds, and the offset of the local time zone from UTC. */
export function commitTime(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const digits = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const zone = `${digits(Math.abs(minutes) / 60)}${digits(Math.abs(minutes) % 60)}`;
  return `${Math.floor(now.getTime() / 1000)} ${minutes < 0 ? "-" : "+"}${zone}`;
}

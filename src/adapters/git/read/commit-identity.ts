import type { RepositorySetting } from "./repository-settings.ts";

/** `Name <address>` of who wrote a change and of who commits it. */
export type CommitIdentity = { readonly author: string; readonly committer: string };

/** Variables by which git is told otherwise; the time zone is that of this program. */
const TOLD = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];

/** Nothing in it that git would drop from a name. */
const PLAIN = /^[^\p{Cc}\s<>.,:;"\\'\ufffd](?:[^\p{Cc}<>\ufffd]*[^\p{Cc}\s<>.,:;"\\'\ufffd])?$/u;

/** Who git would name in a commit by the settings alone; null for everything that only git should put together. */
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

/** As a commit has it: seconds, and how far the clock of this place is from the world's. */
export function commitTime(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const digits = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const zone = `${digits(Math.abs(minutes) / 60)}${digits(Math.abs(minutes) % 60)}`;
  return `${Math.floor(now.getTime() / 1000)} ${minutes < 0 ? "-" : "+"}${zone}`;
}

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { type Git, must } from "../git/process/git.ts";
import { splitFields } from "../git/process/git-path.ts";
import type { SigningKey } from "./ssh-signature.ts";

export type SigningSettings = ReadonlyMap<string, string>;

const NAMES = String.raw`^(user\.signingkey|gpg\.format|gpg\.ssh\.allowedsignersfile)$`;

/** An agent can write the settings of a repository. */
const USER_SCOPES: ReadonlySet<string> = new Set(["global", "system"]);

/** Reads git's settings for signing from the user's and the system's files, except those that name programs. */
export async function signingSettings(git: Git): Promise<SigningSettings> {
  const answer = await git(["config", "--null", "--show-scope", "--get-regexp", NAMES]);
  if (answer.status === 1) return new Map();
  const fields = splitFields(await must(Promise.resolve(answer), "config")).map((field) => field.toString("utf8"));
  const settings = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = "", ...value] = (fields[at + 1] ?? "").split("\n");
    if (USER_SCOPES.has(fields[at] ?? "")) settings.set(name, value.join("\n"));
  }
  return settings;
}

/** True if git signs with an SSH key and the key is set. */
export const isSetUp = (settings: SigningSettings): boolean =>
  settings.get("gpg.format") === "ssh" && (settings.get("user.signingkey") ?? "") !== "";

/** @throws ProblemError SIGNING_NOT_SET_UP with the missing setting */
export function signingKey(settings: SigningSettings): SigningKey {
  const format = settings.get("gpg.format");
  if (format !== "ssh") throw notSetUp(`gpg.format is ${format === undefined ? "not set" : JSON.stringify(format)}`);
  const key = settings.get("user.signingkey") ?? "";
  if (key === "") throw notSetUp("user.signingkey is not set");
  const literal = /^(?:key::)?((?:ssh-|ecdsa-|sk-)\S+ \S+.*)$/.exec(key)?.[1];
  if (literal !== undefined) return { is: "key", text: literal };
  const path = expanded(key);
  if (!isAbsolute(path)) throw notSetUp(`user.signingkey is ${JSON.stringify(key)}, which is not an absolute path`);
  return { is: "file", path };
}

/** Returns git's list of signers. */
export function signersFile(settings: SigningSettings): string | null {
  const path = expanded(settings.get("gpg.ssh.allowedsignersfile") ?? "");
  return isAbsolute(path) ? path : null;
}

const expanded = (path: string): string => (path.startsWith("~/") ? join(homedir(), path.slice(2)) : path);

const notSetUp = (detail: string): ProblemError => new ProblemError({ code: "SIGNING_NOT_SET_UP", detail });

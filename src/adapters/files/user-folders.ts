import { isAbsolute, join } from "node:path";
import { existsSync, mkdirSync } from "node:fs";

/** Folders for the user's own files, never in a repository. */
export type UserFolders = { readonly config: string; readonly state: string };

/**
 * Returns the XDG folders, and creates missing ones as private. Relative values are ignored, as the standard requires.
 */
export function userFolders(env: NodeJS.ProcessEnv): UserFolders {
  const place = (variable: string, ...fallback: string[]): string => {
    const set = env[variable] ?? "";
    return join(isAbsolute(set) ? set : join(env["HOME"] ?? homeFolder(), ...fallback), "isdlc");
  };
  const folders = {
    config: place("XDG_CONFIG_HOME", ".config"),
    state: place("XDG_STATE_HOME", ".local", "state"),
  };
  for (const folder of Object.values(folders)) {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  return folders;
}

/** Returns the path of the sign-in to a team. The user is signed in if the file exists. */
export const loginPath = ({ config }: Pick<UserFolders, "config">): string => join(config, "team.json");

/** Loaded on demand, because `HOME` is almost always set. */
const homeFolder = (): string => process.getBuiltinModule("node:os").homedir();

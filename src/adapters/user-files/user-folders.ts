import { isAbsolute, join } from "node:path";
import { existsSync, mkdirSync } from "node:fs";

/** Where a person's own things are kept: never in a repository. */
export type UserFolders = { readonly config: string; readonly state: string };

/** The XDG folders, made private when missing. Relative values are ignored, as the standard asks. */
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

/** The file of a team's sign-in; its presence says that there is one. */
export const loginPath = ({ config }: Pick<UserFolders, "config">): string => join(config, "team.json");

/** Loaded only where it is needed, as hardly anybody is without HOME. */
const homeFolder = (): string => process.getBuiltinModule("node:os").homedir();

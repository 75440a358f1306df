import { hardenedGit } from "../process/git.ts";

type Owner = { readonly home: string; readonly env: NodeJS.ProcessEnv };

/** Reads a setting from the user's own git files; null if it is not set. Repositories cannot influence it. */
export async function globalGitSetting(name: string, { home, env }: Owner): Promise<string | null> {
  try {
    const found = await hardenedGit(home, { ...env, HOME: home })(["config", "--global", "--get", name]);
    return found.status === 0 ? found.stdout.toString("utf8").trim() : null;
  } catch {
    return null; // no git, no setting
  }
}

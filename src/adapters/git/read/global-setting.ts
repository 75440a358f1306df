import { hardenedGit } from "../process/git.ts";

type Owner = { readonly home: string; readonly env: NodeJS.ProcessEnv };

/** A setting from the person's own files of git; null where they have none. No repository has a say in it. */
export async function globalGitSetting(name: string, { home, env }: Owner): Promise<string | null> {
  try {
    const found = await hardenedGit(home, { ...env, HOME: home })(["config", "--global", "--get", name]);
    return found.status === 0 ? found.stdout.toString("utf8").trim() : null;
  } catch {
    return null; // without git there is no setting of it
  }
}

import { hardenedGit } from "../process/git.ts";

type Owner = { readonly home: string; readonly env: NodeJS.ProcessEnv };

/** A setting from the person's own files of git; null where they have none. No repository has a say in it. */
export async function globalGitSetting(name: string, { home, env }: Owner): Promise<string | null> {
  const folders = { HOME: home, ...(env["XDG_CONFIG_HOME"] && { XDG_CONFIG_HOME: env["XDG_CONFIG_HOME"] }) };
  try {
    const found = await hardenedGit(home)(["config", "--global", "--get", name], { environment: folders });
    return found.status === 0 ? found.stdout.toString("utf8").trim() : null;
  } catch {
    return null; // without git there is no setting of it
  }
}

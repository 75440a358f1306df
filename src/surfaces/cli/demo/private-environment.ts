import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Variables that point programs to the user's own settings, or reveal the calling program. */
const LEFT_OUT = /^(?:npm_|GIT_|ISDLC_|NODE_TEST_CONTEXT$)/i;

const GIT_SETTINGS = `[user]
  name = isdlc demo
  email = demo@example.invalid
[commit]
  gpgSign = false
[core]
  hooksPath = /dev/null
`;

/** Returns an environment with home, settings and temporary files under one folder. */
export function createPrivateEnvironment(folder: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const home = join(folder, "home");
  const temporary = join(folder, "tmp");
  for (const made of [home, temporary]) mkdirSync(made, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".gitconfig"), GIT_SETTINGS);
  writeFileSync(join(home, ".npmrc"), "update-notifier=false\n");
  const kept = Object.entries(env).filter(([name]) => !LEFT_OUT.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: stateHome(folder),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: temporary,
  };
}

/** Contains the key of the journal, which is required to verify it. */
export const stateHome = (folder: string): string => join(folder, "home", ".local", "state");

/** Changes the environment of this process, because git inherits it. Only for a process that does nothing else. */
export function enterEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createToken } from "../../../../src/adapters/identity/operator-token.ts";
import type { Outcome, Running } from "../../../support/cli.ts";
import type { Team } from "./team.ts";
import { journalsIn } from "../../../../src/adapters/journal/journal-location.ts";

/** A user's clone with separate folders: another key, another sign-in. */
export type Home = {
  readonly root: string;
  /** Token at the team's server; `own` is the token on this machine. */
  readonly token: string;
  readonly own: string;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running;
  /** Runs a command with the token at the team's server. */
  says(...args: readonly string[]): Promise<Outcome>;
  /** Runs a command with the token on this machine. */
  decides(...args: readonly string[]): Promise<Outcome>;
  git(...args: readonly string[]): string;
  /** Starts a run of this user that waits at its first gate. */
  begin(...options: readonly string[]): Promise<string>;
  /** Id of the open run in this working tree, if any. */
  openRun(): string | null;
};

/** `url`: address of the server. Default: the direct one. */
export async function createHome(team: Team, name: string, url = team.url): Promise<Home> {
  const { ada, remote } = team;
  const base = join(ada.base, `home-${name}`);
  const root = join(base, "tree");
  mkdirSync(base);
  execFileSync("git", ["clone", "--quiet", remote, root], { env: ada.env });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], { cwd: root, env: ada.env, encoding: "utf8" }).trim();
  git("config", "user.name", name);
  git("config", "user.email", `${name}@example.org`);
  const token = await team.token("person", name);
  await team.administer("role", "sample", name, "reviewer");
  const env = { XDG_CONFIG_HOME: join(base, "config"), XDG_STATE_HOME: join(base, "state") };
  const start: Home["start"] = (args, more = {}) => ada.start(["-C", root, ...args], { ...env, ...more });
  const login = await start(["login", url, "--token", token]).ended;
  expect(login.code, login.stderr).toBe(0);
  const says: Home["says"] = (...args) => start(args, { ISDLC_OPERATOR_TOKEN: token }).ended;
  const own = createToken(join(base, "config", "isdlc"), "2026-01-01T00:00:00.000Z");
  const decides: Home["decides"] = (...args) => start(args, { ISDLC_OPERATOR_TOKEN: own }).ended;
  const openRun = (): string | null =>
    journalsIn(join(root, ".isdlc", "journal")).find(({ isEnded }) => !isEnded)?.name ?? null;
  const begin: Home["begin"] = async (...options) => {
    const wanted = ["add a greeting", "--supervised", "--tests", "without", ...options];
    const begun = await decides(...wanted, ...ada.agent);
    expect(begun, begun.stderr).toMatchObject({ code: 3 });
    return openRun() ?? "";
  };
  return { root, token, own, start, says, decides, git, begin, openRun };
}

/** The file of a run in any folder of journals. */
export function journalIn(root: string, run: string): string {
  const folder = join(root, ".isdlc", "journal");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const found = names.filter((name) => name.endsWith(`${run}.jsonl`));
  expect(found).toHaveLength(1);
  return readFileSync(join(folder, found[0] ?? ""), "utf8");
}

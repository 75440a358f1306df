import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removeTemporary } from "../../support/remove-temporary.ts";
import { createHome } from "./support/second-home.ts";
import { hasPostgres } from "./support/team-database.ts";
import { answerOpen, beginRun, look, untilRests } from "./support/team-runs.ts";
import { createTeam, type Team } from "./support/team.ts";
import { shownDigest } from "../../../src/app/answer/answer.ts";

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
const ATTRIBUTES = "* text=auto eol=crlf\nraw.txt -text\n*.bin filter=lfs diff=lfs merge=lfs -text\n*.js merge=evil\n";
const HOOKS = ["pre-push", "pre-commit", "commit-msg", "post-commit", "post-merge", "reference-transaction"];

describe.runIf(hasPostgres)("a merge by the server", () => {
  let team: Team;
  let ran: string;
  let folder: string;
  afterAll(() => removeTemporary(folder));

  /** Attributes of the repository name programs, which the machine's git settings define. */
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "isdlc-git-settings-"));
    const settings = join(folder, "gitconfig");
    team = await createTeam({ env: { GIT_CONFIG_GLOBAL: settings } });
    const { ada } = team;
    const env = { ...ada.env, GIT_CONFIG_GLOBAL: settings };
    ran = join(ada.base, "ran");
    const script = `pwd >> '${ran}'`;
    const hooks = join(ada.base, "hooks");
    mkdirSync(hooks);
    for (const hook of HOOKS) writeFileSync(join(hooks, hook), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    writeFileSync(join(ada.root, ".gitattributes"), ATTRIBUTES);
    writeFileSync(join(ada.root, "raw.txt"), "raw\r\n");
    writeFileSync(join(ada.root, "text.txt"), "text\r\n");
    writeFileSync(join(ada.root, "large.bin"), POINTER);
    ada.git("add", "--all");
    ada.git("commit", "--quiet", "-m", "Attributes");
    ada.git("push", "--quiet", "origin", "HEAD:main");
    for (const [key, value] of [
      ["core.hooksPath", hooks],
      ["filter.lfs.clean", `${script}; cat`],
      ["filter.lfs.smudge", `${script}; cat`],
      ["merge.lfs.driver", `${script}; exit 1`],
      ["merge.evil.driver", `${script}; exit 1`],
    ])
      execFileSync("git", ["config", "--global", key ?? "", value ?? ""], { env });
    execFileSync("git", ["commit", "--quiet", "--allow-empty", "-m", "The hooks run here"], { cwd: ada.root, env });
    await team.worker("w1");
  });

  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: team.remote, encoding: "utf8", env: team.ada.env });
  const merges = (): number => Number(git("rev-list", "--merges", "--count", "main"));
  const planLine = (line: string): void => {
    const writes = { "text.txt": `text\r\n${line}\r\n`, "raw.txt": `raw\r\n${line}\r\n`, "made.js": `${line}\r\n` };
    team.ada.plan({ turns: { implement: [{ writes }] } });
  };

  async function merge(run: string): Promise<void> {
    while ((await untilRests(team, run)) === "wait" && (await team.row(run)).wait_kind !== "finish")
      expect(await answerOpen(team, run)).toBe(200);
    const { state } = await look(team, run);
    if (state.is !== "active" || state.wait === null) throw new Error("the run does not ask how it ends");
    const answer = { wait: state.wait.id, shown: shownDigest(state), option: "merge" };
    expect((await team.ask(team.adas, `/api/runs/${run}/answer`, answer)).status).toBe(200);
    expect(await untilRests(team, run)).toBe("ended");
  }

  const expectContent = (line: string): void => {
    expect(git("cat-file", "blob", "main:text.txt")).toBe(`text\n${line}\n`);
    expect(git("cat-file", "blob", "main:raw.txt")).toBe(`raw\r\n${line}\r\n`);
    expect(git("cat-file", "blob", "main:made.js")).toBe(`${line}\n`);
    expect(git("cat-file", "blob", "main:large.bin")).toBe(POINTER);
  };

  test("keeps line ends and LFS pointers as git stores them", async () => {
    planLine("one");
    await merge(await beginRun(team, { title: "add a welcome" }));
    expectContent("one");
    expect(merges()).toBe(1);
  });

  test("includes the work of a run that commits at its end", async () => {
    planLine("two");
    const home = await createHome(team, "bob");
    const run = await home.begin("--commits", "end");
    const pushed = await home.says("push-run");
    expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
    await merge(run);
    expectContent("two");
    expect(merges()).toBe(2);
    expect(git("log", "--format=%(trailers:key=Isdlc-Attempt,valueonly)", "main")).toContain(`${run}/end`);
  });

  test("runs no hook, filter or merge driver on the server", () => {
    const folders = existsSync(ran) ? readFileSync(ran, "utf8").split("\n") : [];
    expect(merges()).toBe(2);
    expect(folders).toContain(realpathSync(team.ada.root));
    expect(folders.filter((folder) => folder.startsWith(join(team.ada.state, "page")))).toEqual([]);
  });
});

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Allows, allowsNothing } from "../../src/adapters/git/read/personal-git.ts";
import { programsOfChanges, startedPrograms } from "../../src/adapters/git/read/started-programs.ts";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { makeKey } from "../attestation/keys.ts";
import { agreeing, useRepository } from "./repository-fixture.ts";
import { commitRequest, mergeRequest } from "./write-requests.ts";

const fixture = useRepository();
const mark = () => join(fixture.base, "ran");
const ran = (): boolean => existsSync(mark());

/** A program that leaves a mark and copies its input to its output. */
function program(path: string, rest = "cat"): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n: > "${mark()}"\n${rest}\n`);
  chmodSync(path, 0o755);
  return path;
}
const inTree = (name: string): string => join(fixture.repo, name);
const beside = (name: string): string => join(fixture.base, name);

/** A commit, a switch and a merge of files that all filters and drivers apply to. */
async function change(allows: Allows): Promise<void> {
  const write = createGitWrite(fixture.repo, { env: process.env, allows });
  await write.startBranch("feature", fixture.git("rev-parse", "HEAD"));
  fixture.write("a.txt", "1\n2\n3\n4\n5 changed\n");
  const committed = await write.commit({ ...(await commitRequest(fixture, ["a.txt"])), branch: "feature" });
  expect(committed.is).toBe("done");
  fixture.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "switch", "--quiet", "main");
  writeFileSync(inTree("a.txt"), "1 too\n2\n3\n4\n5\n");
  fixture.git(
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "commit",
    "--quiet",
    "-am",
    "main",
    "--no-gpg-sign",
  );
  rmSync(mark(), { force: true });
  expect((await write.merge(mergeRequest(fixture))).is).toBe("merged");
  expect(readFileSync(inTree("a.txt"), "utf8")).toBe("1 too\n2\n3\n4\n5 changed\n");
}

const DRIVER = 'git merge-file --marker-size="$4" "$1" "$2" "$3"';

const rows: readonly { what: string; name: string; put: () => void }[] = [
  {
    what: "a hook of the repository",
    name: ".git/hooks/commit-msg",
    put: () => fixture.hook("commit-msg", `: > "${mark()}"`),
  },
  {
    what: "a hooks folder in the working tree",
    name: "tools/hooks/post-merge",
    put: () => {
      program(inTree("tools/hooks/post-merge"), "exit 0");
      fixture.git("config", "core.hooksPath", "tools/hooks");
    },
  },
  {
    what: "a hooks folder in the tree, configured by the user for all repositories",
    name: ".githooks/pre-merge-commit",
    put: () => {
      program(inTree(".githooks/pre-merge-commit"), "exit 0");
      fixture.git("config", "--global", "core.hooksPath", ".githooks");
    },
  },
  {
    what: "a file system monitor",
    name: ".git/config: core.fsmonitor",
    put: () => void fixture.git("config", "core.fsmonitor", program(beside("monitor"), "exit 1")),
  },
  {
    what: "a merge driver",
    name: ".git/config: merge.mine.driver",
    put: () => {
      writeFileSync(inTree(".git/info/attributes"), "*.txt merge=mine\n");
      fixture.git("config", "merge.mine.driver", `${program(beside("driver"), DRIVER)} %A %O %B %L`);
    },
  },
  {
    what: "a filter",
    name: ".git/config: filter.mine.smudge",
    put: () => {
      writeFileSync(inTree(".git/info/attributes"), "*.txt filter=mine\n");
      fixture.git("config", "filter.mine.required", "true");
      fixture.git("config", "filter.mine.clean", "cat");
      fixture.git("config", "filter.mine.smudge", program(beside("smudge")));
    },
  },
  {
    what: "settings in an included file of the tree",
    name: "settings: core.fsmonitor",
    put: () => {
      fixture.write("settings", `[core]\n\tfsmonitor = ${program(beside("monitor"), "exit 1")}\n`);
      fixture.git("config", "include.path", "../settings");
    },
  },
  {
    what: "a signing program",
    name: ".git/config: gpg.program",
    put: () => {
      const signed = String.raw`cat > /dev/null; echo "[GNUPG:] SIG_CREATED " >&2; echo signature`;
      fixture.git("config", "--global", "gpg.program", "true");
      fixture.git("config", "gpg.program", program(beside("gpg"), signed));
      fixture.git("config", "merge.verifySignatures", "false");
      fixture.git("config", "commit.gpgSign", "true");
    },
  },
];

describe("repository commands [S5]", () => {
  const started = rows.filter(({ name }) => !name.includes("gpg"));

  test.each(started)("run if allowed: $what", async ({ put }) => {
    fixture.write("a.txt", "1\n2\n3\n4\n5\n");
    fixture.commitAll("one");
    put();
    await change(() => true);
    expect(ran()).toBe(true);
  });

  test.each(started)("are listed and do not run unless allowed: $what", async ({ put, name }) => {
    fixture.write("a.txt", "1\n2\n3\n4\n5\n");
    fixture.commitAll("one");
    put();
    expect((await programsOfChanges(fixture.repo, process.env)).map((one) => one.name)).toContain(name);
    expect((await startedPrograms(fixture.repo, process.env)).map((one) => one.name)).toContain(name);
    await change(() => false);
    expect(ran()).toBe(false);
  });

  test("are replaced by the user's own signing program", async () => {
    fixture.write("a", "1");
    fixture.commitAll("one");
    rows.at(-1)!.put();
    fixture.write("a", "2");
    const request = await commitRequest(fixture, ["a"]);
    await createGitWrite(fixture.repo, { env: process.env, allows: allowsNothing })
      .commit(request)
      .catch(() => undefined); // The user's own program, `true`, signs nothing.
    expect(ran()).toBe(false);
    await createGitWrite(fixture.repo, agreeing).commit(request);
    expect(ran()).toBe(true);
  });

  test("include the signing key; commits are signed with the user's key unless it is allowed", async () => {
    const [own, other] = ["own", "other"].map((name) => makeKey(beside("keys"), name));
    writeFileSync(beside("signers"), `person@example.org ${own!.public}\nagent@example.org ${other!.public}\n`);
    fixture.git("config", "--global", "commit.gpgSign", "true");
    fixture.git("config", "--global", "gpg.format", "ssh");
    fixture.git("config", "--global", "gpg.ssh.allowedSignersFile", beside("signers"));
    fixture.git("config", "--global", "user.signingKey", `${own!.file}.pub`);
    fixture.write("a", "1");
    fixture.commitAll("one");
    fixture.git("config", "user.signingKey", `${other!.file}.pub`);
    const signerOf = async (allows: Allows, content: string): Promise<string> => {
      fixture.write("a", content);
      const write = createGitWrite(fixture.repo, { env: process.env, allows });
      expect((await write.commit(await commitRequest(fixture, ["a"]))).is).toBe("done");
      return fixture.git("log", "-1", "--format=%GS").trim();
    };
    expect(await signerOf(allowsNothing, "2")).toBe("person@example.org");
    expect((await programsOfChanges(fixture.repo, process.env)).map(({ name }) => name)).toEqual([
      ".git/config: user.signingkey",
    ]);
    expect(await signerOf(() => true, "3")).toBe("agent@example.org");
  });

  test("include no hooks of the user, which always run", async () => {
    fixture.write("a", "1");
    fixture.commitAll("one");
    program(beside("own-hooks/pre-commit"), "exit 0");
    fixture.git("config", "--global", "core.hooksPath", beside("own-hooks"));
    fixture.hook("pre-commit", "exit 1");
    fixture.write("a", "2");
    expect(await programsOfChanges(fixture.repo, process.env)).toEqual([]);
    const committed = await createGitWrite(fixture.repo, { env: process.env, allows: allowsNothing }).commit(
      await commitRequest(fixture, ["a"]),
    );
    expect(committed.is).toBe("done");
    expect(ran()).toBe(true);
  });

  test("run from their own folder if allowed, while other hooks are skipped", async () => {
    fixture.write("a", "1");
    fixture.commitAll("one");
    fixture.hook("pre-commit", `. "$(dirname "$0")/shared"`);
    writeFileSync(inTree(".git/hooks/shared"), `: > "${mark()}"\n`);
    fixture.hook("commit-msg", "exit 1");
    fixture.write("a", "2");
    const allows: Allows = ({ name }) => name === ".git/hooks/pre-commit";
    expect(
      (await createGitWrite(fixture.repo, { env: process.env, allows }).commit(await commitRequest(fixture, ["a"]))).is,
    ).toBe("done");
    expect(ran()).toBe(true);
  });

  test("change their digest with files around a hook in the working tree", async () => {
    program(inTree(".husky/_/pre-commit"), 'exec sh "$(dirname "$0")/../pre-commit"');
    fixture.write(".husky/pre-commit", "true\n");
    fixture.git("config", "core.hooksPath", ".husky/_");
    const [, before] = await programsOfChanges(fixture.repo, process.env);
    fixture.write(".husky/pre-commit", "something else\n");
    const [, after] = await programsOfChanges(fixture.repo, process.env);
    expect([before?.name, after?.name]).toEqual([".husky/_/pre-commit", ".husky/_/pre-commit"]);
    expect(after?.digest).not.toBe(before?.digest);
  });

  test("exclude settings that no commit or merge uses", async () => {
    fixture.git("config", "alias.st", "!sh");
    expect(await programsOfChanges(fixture.repo, process.env)).toEqual([]);
    expect((await startedPrograms(fixture.repo, process.env)).map((one) => one.name)).toEqual([
      ".git/config: alias.st",
    ]);
  });
});

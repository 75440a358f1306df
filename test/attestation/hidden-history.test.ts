import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createStudio, type Studio } from "./studio.ts";

/** A signed run with a later commit by an agent, and two more commits on the branch `work`. */
async function createEvilBranch(): Promise<{ studio: Studio; evil: string; back: string }> {
  const studio = createStudio();
  const line = await studio.sign(studio.statement);
  studio.note("isdlc", line, ...studio.made.flatMap(({ commit, tree }) => [commit, tree]));
  const evil = studio.commit(
    studio.made[1].commit,
    "backdoor\n",
    "Work\n\nCo-Authored-By: Claude <noreply@anthropic.com>",
  );
  const back = studio.commit(evil.commit, "second\n", "Back to what was approved");
  const tip = studio.commit(back.commit, "third\n");
  studio.git("update-ref", "refs/heads/work", tip.commit);
  return { studio, evil: evil.commit, back: back.commit };
}

const listed = async (studio: Studio): Promise<readonly string[]> =>
  (await studio.verify("isdlc")).commits.map(({ commit }) => commit.commit);

const gitLists = (studio: Studio): readonly string[] => studio.git("rev-list", "main..work").split("\n");

describe("hidden commit", () => {
  test("is listed despite a forged commit-graph", async () => {
    const { studio, evil, back } = await createEvilBranch();
    studio.git("commit-graph", "write", "--reachable");
    forgeParent(join(studio.root, ".git/objects/info/commit-graph"), { child: back, parent: studio.made[1].commit });
    expect(gitLists(studio)).not.toContain(evil);
    expect(await listed(studio)).toContain(evil);
  });

  test("is listed despite a grafts file", async () => {
    const { studio, evil, back } = await createEvilBranch();
    mkdirSync(join(studio.root, ".git/info"), { recursive: true });
    writeFileSync(join(studio.root, ".git/info/grafts"), `${back} ${studio.made[1].commit}\n`);
    expect(gitLists(studio)).not.toContain(evil);
    expect(await listed(studio)).toContain(evil);
  });

  test("is listed despite a replaced commit", async () => {
    const { studio, evil, back } = await createEvilBranch();
    const other = studio.git("commit-tree", `${back}^{tree}`, "-p", studio.made[1].commit, "-m", "Back");
    studio.git("replace", back, other);
    expect(gitLists(studio)).not.toContain(evil);
    expect(await listed(studio)).toContain(evil);
  });

  test("is refused in a shallow clone with a forged list", async () => {
    const { studio, evil, back } = await createEvilBranch();
    writeFileSync(join(studio.root, ".git/shallow"), `${back}\n`);
    expect(gitLists(studio)).not.toContain(evil);
    await expect(listed(studio)).rejects.toMatchObject({ problem: { code: "HISTORY_INCOMPLETE" } });
  });

  test("is refused if an object file has the content of another commit", async () => {
    const { studio, evil, back } = await createEvilBranch();
    const content = studio.git("cat-file", "commit", back).replace(evil, studio.made[1].commit);
    const file = join(studio.root, ".git/objects", back.slice(0, 2), back.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, deflateSync(Buffer.from(`commit ${Buffer.byteLength(content)}\0${content}`)));
    expect(gitLists(studio)).not.toContain(evil);
    await expect(listed(studio)).rejects.toMatchObject({ problem: { code: "HISTORY_INCOMPLETE" } });
  });

  test("is refused if its object is missing", async () => {
    const { studio, evil } = await createEvilBranch();
    rmSync(join(studio.root, ".git/objects", evil.slice(0, 2), evil.slice(2)));
    await expect(listed(studio)).rejects.toThrow();
  });
});

/** Settings of git's documentation that change which commits, messages, names or files a reading command shows. */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ["trailer.separators", "#"],
  ["trailer.co-authored-by.key", "Reviewed-by"],
  ["trailer.co-authored-by.ifexists", "replace"],
  ["core.commentChar", "C"],
  ["core.commentString", "Co-"],
  ["i18n.logOutputEncoding", "UTF-16"],
  ["i18n.commitEncoding", "UTF-7"],
  ["log.follow", "true"],
  ["log.mailmap", "true"],
  ["log.excludeDecoration", "refs/*"],
  ["log.showSignature", "true"],
  ["log.showRoot", "false"],
  ["log.date", "raw"],
  ["format.pretty", "%s"],
  ["format.notes", "refs/notes/*"],
  ["mailmap.file", "mailmap"],
  ["core.notesRef", "refs/notes/other"],
  ["notes.displayRef", "refs/notes/*"],
  ["core.useReplaceRefs", "true"],
  ["core.commitGraph", "true"],
  ["core.multiPackIndex", "true"],
  ["core.alternateRefsPrefixes", "refs/heads"],
  ["core.quotePath", "false"],
  ["core.precomposeUnicode", "true"],
  ["core.ignoreCase", "true"],
  ["core.warnAmbiguousRefs", "false"],
  ["core.abbrev", "4"],
  ["core.disambiguate", "blob"],
  ["core.attributesFile", "attributes"],
  ["core.worktree", "/tmp"],
  ["diff.renames", "false"],
  ["diff.ignoreSubmodules", "all"],
  ["merge.renames", "false"],
  ["merge.default", "ours"],
  ["merge.ours.driver", "true"],
  ["merge.conflictStyle", "diff3"],
  ["merge.directoryRenames", "false"],
  ["fetch.negotiationAlgorithm", "noop"],
  ["transfer.hideRefs", "refs/notes"],
  ["uploadpack.hideRefs", "refs/notes"],
  ["gpg.format", "openpgp"],
  ["gpg.ssh.allowedSignersFile", "signers"],
  ["gpg.ssh.program", "/bin/true"],
  ["gpg.program", "/bin/true"],
  ["extensions.partialClone", "origin"],
  ["remote.origin.promisor", "true"],
  ["remote.origin.url", "ext::sh -c true"],
  ["include.path", "more-settings"],
  ["alias.cat-file", "!true"],
  ["alias.rev-list", "!true"],
  ["pager.rev-list", "true"],
  ["column.ui", "always"],
  ["color.ui", "always"],
  ["branch.sort", "-committerdate"],
  ["tag.sort", "-committerdate"],
  ["safe.bareRepository", "all"],
];

describe("settings of a repository", () => {
  test("change no result of a verification", async () => {
    const { studio, evil } = await createEvilBranch();
    const expected = await studio.verify("isdlc");
    expect(expected.commits.map(({ commit }) => commit.commit)).toContain(evil);
    writeFileSync(join(studio.root, "more-settings"), "[log]\n\tmailmap = true\n");
    writeFileSync(join(studio.root, "mailmap"), "Ada <ada@example.org> Claude <noreply@anthropic.com>\n");
    const file = join(studio.root, ".git/config");
    const before = readFileSync(file, "utf8");
    for (const [name, value] of SETTINGS) {
      writeFileSync(file, before);
      studio.git("config", name, value);
      expect(await studio.verify("isdlc"), name).toEqual(expected);
    }
  }, 120_000);

  test("cause a problem if they set an unknown repository format", async () => {
    const { studio } = await createEvilBranch();
    appendFileSync(join(studio.root, ".git/config"), "[core]\n\trepositoryformatversion = 99\n");
    await expect(studio.verify("isdlc")).rejects.toMatchObject({ problem: { code: expect.stringMatching(/^GIT_/) } });
  });
});

/** Overwrites the first parent of a commit in a commit-graph file. Git does not verify its checksum. */
function forgeParent(file: string, { child, parent }: { child: string; parent: string }): void {
  const graph = readFileSync(file);
  const chunks = new Map<string, number>();
  for (let at = 8; graph.readUInt32BE(at) !== 0; at += 12)
    chunks.set(graph.toString("latin1", at, at + 4), Number(graph.readBigUInt64BE(at + 4)));
  const [ids, rows] = [chunks.get("OIDL") ?? 0, chunks.get("CDAT") ?? 0];
  const position = (id: string): number => (graph.indexOf(Buffer.from(id, "hex"), ids) - ids) / 20;
  graph.writeUInt32BE(position(parent), rows + position(child) * 36 + 20);
  chmodSync(file, 0o644);
  writeFileSync(file, graph);
}

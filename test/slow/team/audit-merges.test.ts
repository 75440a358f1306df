import { renameSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createRepositoryCopies } from "../../../team/src/copies/repository-copies.ts";
import type { Pool } from "../../../team/src/journal-postgres/open-pool.ts";
import { acknowledgeMerges, auditMerges } from "../../../team/src/merging/audit-merges.ts";
import { mergeOntoBase } from "../../../team/src/merging/merge-onto-base.ts";
import { orderMerge, scene, useMergeScene } from "../../team/merge-fixture.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

describe.runIf(hasPostgres)("audit of recorded merges", () => {
  useMergeScene();
  let pool: Pool;
  beforeEach(async () => {
    ({ pool } = await freshDatabase());
    await pool.query("insert into isdlc.repository (name, remote) values ('sample', $1)", [scene.remote]);
  });
  /** Merges like the server and records the merge. */
  const recordMerge = async (number: number): Promise<{ run: string; commit: string }> => {
    const order = orderMerge(number);
    const merged = await mergeOntoBase(await scene.openCopy(), order);
    if (merged.is !== "merged") throw new Error(merged.is);
    const { run } = order;
    const { commit } = merged;
    await pool.query(
      `insert into isdlc.run (run, place, repository, title, begun_by, head_hash, rests)
       values ($1, $1, 'sample', '', 'ada', '', 'ended')`,
      [run],
    );
    const text = "insert into isdlc.merge (run, commit, base, recorded_at) values ($1, $2, 'main', now())";
    await pool.query(text, [run, commit]);
    return { run, commit };
  };
  const audit = () =>
    auditMerges({ pool, copies: createRepositoryCopies({ folder: join(scene.folder, "audit"), env: process.env }) });
  const force = (commit: string): void => void scene.git("remote.git", "update-ref", "refs/heads/main", commit);

  test("finds every merge under later pushes", async () => {
    await recordMerge(1);
    await recordMerge(2);
    scene.pushFile("main", "later.txt");
    expect(await audit()).toEqual({ checked: 2, missing: [], unread: [] });
  });

  test("reports a merge missing from the base, with a command that restores it", async () => {
    const before = scene.tip("main");
    const lost = await recordMerge(1);
    expect((await audit()).missing).toEqual([]); // the copy contains the merge from now on
    force(before);
    const theirs = scene.pushFile("main", "theirs.txt") ?? "";
    const kept = await recordMerge(2);

    const { missing, checked } = await audit();
    expect(checked).toBe(2);
    expect(missing).toMatchObject([{ ...lost, repository: "sample", base: "main" }]);
    const { rows } = await pool.query<{ run: string }>("select run from isdlc.merge where missing_since is not null");
    expect(rows).toEqual([{ run: lost.run }]);

    for (const command of missing[0]?.restore.split(" && ") ?? []) scene.git("clone", ...command.split(" ").slice(1));
    expect((await audit()).missing).toEqual([]);
    for (const commit of [lost.commit, kept.commit, theirs])
      scene.git("remote.git", "merge-base", "--is-ancestor", commit, "main");
  });

  test("reports every merge if the base is deleted, and a merge missing at the remote", async () => {
    const { run } = await recordMerge(1);
    await pool.query("update isdlc.merge set commit = $1", ["1".repeat(40)]);
    expect((await audit()).missing).toMatchObject([{ run, commit: "1".repeat(40) }]);
    scene.git("remote.git", "update-ref", "-d", "refs/heads/main");
    expect((await audit()).missing).toMatchObject([{ run }]);
  });

  test("reports a missing merge until an operator acknowledges it", async () => {
    const before = scene.tip("main");
    const { run } = await recordMerge(1);
    expect(await acknowledgeMerges(pool, run, "not missing")).toBe(false);
    force(before);
    expect((await audit()).missing).toHaveLength(1);
    expect((await audit()).missing).toHaveLength(1);
    expect(await acknowledgeMerges(pool, run, "rewound on purpose")).toBe(true);
    expect(await audit()).toEqual({ checked: 0, missing: [], unread: [] });
  });

  test("reports an unreadable remote and keeps its last results", async () => {
    await recordMerge(1);
    renameSync(scene.remote, `${scene.remote}.away`);
    expect(await audit()).toMatchObject({ missing: [], unread: [{ repository: "sample" }] });
  });
});

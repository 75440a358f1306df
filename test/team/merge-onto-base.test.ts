import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RepositoryCopy } from "../../team/src/copies/repository-copies.ts";
import { mergedRef, mergeOntoBase } from "../../team/src/merging/merge-onto-base.ts";
import { orderMerge, scene, useMergeScene } from "./merge-fixture.ts";

useMergeScene();

const installHook = (name: string, script: string): void =>
  writeFileSync(join(scene.remote, "hooks", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

/** The same copy, with an action before its push. */
const beforePush = (copy: RepositoryCopy, work: () => void): RepositoryCopy => ({
  ...copy,
  push(updates) {
    work();
    return copy.push(updates);
  },
});

describe("mergeOntoBase", () => {
  test("merges the displayed commit onto the displayed base, with requester and server as names", async () => {
    const order = orderMerge(1);
    const noted: string[] = [];
    const result = await mergeOntoBase(await scene.openCopy(), {
      ...order,
      note: (commit) => Promise.resolve(void noted.push(commit)),
    });
    const merged = scene.tip("main");
    expect(result).toEqual({ is: "merged", commit: merged });
    expect(noted).toEqual([merged]);
    const shown = ["show", "--no-patch", "--format=%P%n%an %cn%n%B", merged];
    expect(scene.git("remote.git", ...shown)).toBe(
      `${order.shown} ${order.commit}\nada isdlc server\nMerge feature/1\n\nIsdlc-Run: ${order.run}`,
    );
    expect(scene.git("remote.git", "rev-parse", mergedRef(order.run))).toBe(merged);
  });

  test("squashes to one commit that names its source", async () => {
    const order = orderMerge(1, { isSquash: true });
    await mergeOntoBase(await scene.openCopy(), order);
    expect(scene.git("remote.git", "rev-parse", "main^")).toBe(order.shown);
    expect(scene.git("remote.git", "log", "-1", "--format=%B", "main")).toContain(`Isdlc-Squashed: ${order.commit}`);
  });

  test("reports a branch without changes as unchanged", async () => {
    scene.git("clone", "push", "--quiet", "origin", `${scene.tip("main")}:refs/heads/feature/1`);
    const result = await mergeOntoBase(await scene.openCopy(), orderMerge(1, { commit: scene.tip("main") }));
    expect(result).toEqual({ is: "unchanged" });
  });

  test.for([
    ["a user pushes to", () => scene.pushFile("main", "theirs")],
    ["a user rewinds", () => scene.git("remote.git", "update-ref", "refs/heads/main", "main^")],
    ["a user replaces", () => scene.forceFile("main", "HEAD~1", "other")],
    ["a user deletes", () => scene.git("remote.git", "update-ref", "-d", "refs/heads/main")],
  ] as const)("asks again if %s the base before the push", async ([, change]) => {
    scene.pushFile("main", "second");
    const order = orderMerge(1);
    const copy = beforePush(await scene.openCopy(), change);
    const result = await mergeOntoBase(copy, order);
    const base = scene.git("remote.git", "for-each-ref", "--format=%(objectname)", "refs/heads/main") || null;
    expect(result).toEqual({ is: "moved", tip: order.commit, base, unaccepted: [] });
    expect(base).not.toBe(order.shown);
    expect(scene.git("remote.git", "for-each-ref", "refs/isdlc")).toBe("");
  });

  test("asks again if the branch is not the accepted commit", async () => {
    const order = orderMerge(1);
    const tip = scene.pushFile("feature/1", "evil");
    const result = await mergeOntoBase(await scene.openCopy(), order);
    expect(result).toEqual({ is: "moved", tip, base: order.shown, unaccepted: [] });
    expect(scene.tip("main")).toBe(order.shown);
  });

  test("names files that differ from the accepted tree, except isdlc's own documents", async () => {
    const { accepted } = orderMerge(1);
    scene.pushFile("feature/1", "docs/item/meta.json");
    const commit = scene.pushFile("feature/1", "evil") ?? "";
    scene.git("remote.git", "update-ref", `refs/isdlc/${orderMerge(2).run}/${accepted?.tree}`, accepted?.tree ?? "");
    const order = orderMerge(2, {
      branch: "feature/1",
      commit,
      accepted: { tree: accepted?.tree ?? "", except: new Set(["docs/item/meta.json"]) },
    });
    const result = await mergeOntoBase(await scene.openCopy(), order);
    expect(result).toMatchObject({ is: "moved", unaccepted: ["evil (added)"] });
    expect(scene.tip("main")).toBe(order.shown);
  });

  test("recognizes a pushed merge under later commits", async () => {
    const order = orderMerge(1);
    const copy = await scene.openCopy();
    const killed = {
      ...copy,
      async push(updates: Parameters<RepositoryCopy["push"]>[0]): Promise<never> {
        await copy.push(updates);
        throw new Error("killed");
      },
    };
    await expect(mergeOntoBase(killed, order)).rejects.toThrow("killed");
    const merged = scene.tip("main");
    const theirs = scene.pushFile("main", "theirs");
    // Even without the noted commit, which a restored database does not have.
    for (const earlier of [[merged], []])
      expect(await mergeOntoBase(await scene.openCopy("another"), { ...order, earlier })).toEqual({
        is: "merged",
        commit: merged,
      });
    expect(scene.tip("main")).toBe(theirs);
  });

  test("throws a conflict and keeps the base", async () => {
    const base = scene.tip("main");
    scene.pushFile("main", "src/made-1.js", "theirs\n");
    const shown = scene.tip("main");
    const commit = scene.forceFile("feature/1", base, "src/made-1.js");
    await expect(mergeOntoBase(await scene.openCopy(), orderMerge(1, { commit }))).rejects.toMatchObject({
      problem: { code: "MERGE_CONFLICT", files: ["src/made-1.js"] },
    });
    expect(scene.tip("main")).toBe(shown);
  });
});

describe("mergeOntoBase with a malicious or broken remote", () => {
  test("keeps both refs if the remote refuses the base, and reports its message", async () => {
    installHook("pre-receive", `grep -q refs/heads/main && echo "protected; \\033[31mno" >&2 && exit 1; exit 0`);
    const order = orderMerge(1);
    const result = await mergeOntoBase(await scene.openCopy(), order);
    expect(result).toMatchObject({ is: "refused", detail: expect.stringContaining("remote: protected; no") });
    expect(scene.tip("main")).toBe(order.shown);
    expect(scene.git("remote.git", "for-each-ref", "refs/isdlc")).toBe("");
  });

  test("detects a remote that accepts a push without an update", async () => {
    const copy = await scene.openCopy();
    const lying = { ...copy, push: () => Promise.resolve({ isAccepted: true, detail: "" }) };
    expect(await mergeOntoBase(lying, orderMerge(1))).toMatchObject({
      is: "refused",
      detail: "the remote accepted the push and did not update the base",
    });
  });

  test("detects a remote that undoes the push immediately", async () => {
    const order = orderMerge(1);
    installHook("post-receive", `git update-ref refs/heads/main ${order.shown}; touch undone`);
    expect(await mergeOntoBase(await scene.openCopy(), order)).toMatchObject({ is: "refused" });
    expect(existsSync(join(scene.remote, "undone"))).toBe(true);
  });

  test("merges once if the remote updates the base and reports a failure", async () => {
    const copy = await scene.openCopy();
    const lying: RepositoryCopy = {
      ...copy,
      push: async (updates) => ({ ...(await copy.push(updates)), isAccepted: false }),
    };
    expect(await mergeOntoBase(lying, orderMerge(1))).toEqual({ is: "merged", commit: scene.tip("main") });
    expect(scene.git("remote.git", "rev-list", "--count", "--merges", "main")).toBe("1");
  });

  describe.for([1, 2, 3])("with old tips at read %i", (staleRead) => {
    const PUSH_ON_TOP = (): string | null => scene.pushFile("main", "theirs");

    test.for([
      ["before the first push", null],
      ["after a killed attempt, with a push of a user on top", PUSH_ON_TOP],
    ] as const)("merges once and keeps all commits %s", async ([, pushOnTop]) => {
      const order = orderMerge(1);
      const copy = await scene.openCopy();
      const accepted = `refs/isdlc/${order.run}/${order.accepted?.tree}`;
      const old = await copy.fetch(["refs/heads/main", `refs/heads/${order.branch}`, accepted]);
      const noted: string[] = [];
      const merge = (at: RepositoryCopy): ReturnType<typeof mergeOntoBase> =>
        mergeOntoBase(at, { ...order, earlier: noted, note: (commit) => Promise.resolve(void noted.push(commit)) });
      if (pushOnTop !== null) await merge(copy);
      const theirs = pushOnTop?.();
      let reads = 0;
      /** One read gets the refs of before, like from a replica that lags behind. */
      const fetch: RepositoryCopy["fetch"] = async (names) => {
        const fresh = await copy.fetch(names);
        return ++reads === staleRead ? old : fresh;
      };
      const results = [];
      for (let times = 0; times < 3; times++) results.push(await merge({ ...copy, fetch }));
      expect(reads).toBeGreaterThanOrEqual(staleRead);
      expect(results.at(-1)).toEqual({ is: "merged", commit: noted[0] });
      expect(new Set(noted).size).toBe(1);
      expect(scene.git("remote.git", "rev-list", "--count", "--merges", "main")).toBe("1");
      for (const commit of [order.commit, noted[0], theirs])
        if (typeof commit === "string") scene.git("remote.git", "merge-base", "--is-ancestor", commit, "main");
    });
  });

  test("reads the base by its full name, among refs with similar names", async () => {
    const order = orderMerge(1);
    const evil = scene.forceFile("evil", order.shown, "evil");
    for (const name of ["refs/tags/main", "refs/remotes/origin/main", "refs/kept/x", "refs/x/refs/heads/main"])
      scene.git("remote.git", "update-ref", name, evil);
    const result = await mergeOntoBase(await scene.openCopy(), order);
    expect(result).toEqual({ is: "merged", commit: scene.tip("main") });
    expect(scene.git("remote.git", "ls-tree", "-r", "--name-only", "refs/heads/main")).toBe("README.md\nsrc/made-1.js");
  });

  test("keeps the base if git cannot distinguish it from a branch named refs/heads/main", async () => {
    const order = orderMerge(1);
    scene.git("remote.git", "update-ref", "refs/heads/refs/heads/main", order.commit);
    const result = await mergeOntoBase(await scene.openCopy(), order);
    expect(result).toMatchObject({ is: "refused", detail: expect.stringContaining("matches more than one") });
    expect(scene.tip("main")).toBe(order.shown);
  });
});

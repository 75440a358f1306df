import { lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed } from "../support/cli.ts";
import { moveOn, prepareItem } from "./prepared-item.ts";
import { readEndedCpuSeconds } from "../support/cpu-time.ts";

test.concurrent("writes draft, meta and a backlog line, but no run [VERBS-ADD]", async () => {
  const sandbox = await createSandbox();
  const added = await sandbox.script("add", "Payment processing", "--json");
  expect(added.code).toBe(0);
  expect(parsed(added)).toEqual({ ok: true, item: "docs/requirements/payment-processing", created: true });
  expect(sandbox.read("docs/requirements/payment-processing/draft.md")).toContain("# Payment processing\n");
  const isReadable = (name: string) =>
    statSync(join(sandbox.root, "docs/requirements/payment-processing", name)).mode & 0o044;
  expect([isReadable("draft.md"), isReadable("meta.json")]).toEqual([0o044, 0o044]);
  expect(sandbox.json("docs/requirements/payment-processing/meta.json")).toMatchObject({
    source: "manual",
    source_id: null,
    slug: "payment-processing",
    created_at: expect.stringMatching(/Z$/),
    analysis_status: "raw",
    phases_completed: [],
    codebase_hash: sandbox.git("rev-parse", "HEAD"),
  });
  const backlog = sandbox.read("BACKLOG.md");
  expect(backlog.slice(backlog.indexOf("## Open"), backlog.indexOf("## Completed"))).toContain(
    "[ ] Payment processing",
  );
  expect(lstatSync(join(sandbox.root, ".isdlc"), { throwIfNoEntry: false })).toBeUndefined();
  expect(sandbox.git("branch", "--list")).toBe("* main");
  expect(await sandbox.status()).toBeNull();
});

test.concurrent("warns about an existing title and changes nothing [VERBS-ADD]", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("add", "Payment processing");
  sandbox.write("docs/requirements/payment-processing/draft.md", "edited by the person\n");
  const backlog = sandbox.read("BACKLOG.md");
  const again = await sandbox.script("add", "Payment  Processing");
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("warning:") });
  expect(sandbox.read("docs/requirements/payment-processing/draft.md")).toBe("edited by the person\n");
  expect(sandbox.read("BACKLOG.md")).toBe(backlog);
});

test.concurrent.for([
  ["#42 Dark mode", "42-dark-mode", "github", "GH-42"],
  ["#43", "43", "github", "GH-43"],
  ["ABC-12", "abc-12", "jira", "ABC-12"],
  ["UTF-8 everywhere", "utf-8-everywhere", "manual", null],
] as const)("records the source of %s [VERBS-ADD]", async ([title, slug, source, source_id]) => {
  const sandbox = await createSandbox();
  await sandbox.script("add", title);
  expect(sandbox.json(`docs/requirements/${slug}/meta.json`)).toMatchObject({ source, source_id });
});

test.concurrent("reports stale only if code changed, not items or the backlog", async () => {
  const sandbox = await createSandbox();
  const before = sandbox.git("rev-parse", "HEAD");
  prepareItem(sandbox, { slug: "analysed-before", hash: before });
  await sandbox.script("add", "Raw item");
  sandbox.git("add", "--all");
  sandbox.git("commit", "--quiet", "--message", "Items only");
  const stale = async () => {
    const { items } = parsed(await sandbox.script("items", "--json"));
    return Object.fromEntries(items.map((row: { slug: string; isStale: boolean | null }) => [row.slug, row.isStale]));
  };
  expect(await stale()).toEqual({ "analysed-before": false, "raw-item": null });
  const between = sandbox.git("rev-parse", "HEAD");
  moveOn(sandbox, 1);
  prepareItem(sandbox, { slug: "short-hash", hash: between.slice(0, 7) });
  prepareItem(sandbox, { slug: "unknown-hash", hash: "f".repeat(40) });
  prepareItem(sandbox, { slug: "up-to-date" });
  prepareItem(sandbox, { slug: "was-built", hash: before, more: { build_completed_at: "2026-01-02T00:00:00.000Z" } });
  expect(await stale()).toEqual({
    "analysed-before": true,
    "raw-item": null,
    "short-hash": true,
    "unknown-hash": null,
    "up-to-date": false,
    "was-built": null,
  });
  expect((await sandbox.script("items")).stdout).toMatch(/\[A\] {2}analysed-before +analyzed +\S+ +yes/);
});

test("lists a thousand items of many commits in less than five CPU seconds", async () => {
  const sandbox = await createSandbox();
  const head = sandbox.git("rev-parse", "HEAD");
  for (let number = 0; number < 1000; number++) {
    const folder = join(sandbox.root, "docs/requirements", `REQ-${String(number).padStart(4, "0")}-item`);
    mkdirSync(folder, { recursive: true });
    const codebase_hash = number % 2 === 0 ? head : number.toString(16).padStart(40, "a");
    writeFileSync(join(folder, "meta.json"), JSON.stringify({ analysis_status: "analyzed", codebase_hash }));
  }
  const before = readEndedCpuSeconds();
  const { items } = parsed(await sandbox.script("items", "--json"));
  expect(readEndedCpuSeconds() - before, "seconds of CPU").toBeLessThan(5);
  expect(items).toHaveLength(1000);
  expect(items.filter((row: { isStale: boolean | null }) => row.isStale === false)).toHaveLength(500);
});

test.concurrent("prints that there are no items", async () => {
  const sandbox = await createSandbox({ git: false });
  expect(await sandbox.script("items")).toMatchObject({ code: 0, stdout: expect.stringContaining("No items yet") });
});

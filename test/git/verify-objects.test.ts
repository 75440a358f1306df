import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { hardenedGit } from "../../src/adapters/git/process/git.ts";
import type { GitResult } from "../../src/adapters/git/process/run-git.ts";
import { verifyObjects } from "../../src/adapters/git/snapshot/verify-objects.ts";
import { toOutcome, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

function commitFiles(): { tree: string; ids: Readonly<Record<"blob" | "tree", string>> } {
  fixture.write("a", "one\n");
  fixture.write("folder/b", "two\n");
  fixture.git("add", ".");
  fixture.git("commit", "--quiet", "--message", "files");
  const idOf = (name: string): string => fixture.git("rev-parse", name).trim();
  return { tree: idOf("HEAD^{tree}"), ids: { blob: idOf("HEAD:a"), tree: idOf("HEAD:folder") } };
}

const fileOf = (id: string): string => join(fixture.repo, ".git/objects", id.slice(0, 2), id.slice(2));
const object = (text: string): Buffer => deflateSync(Buffer.from(text, "latin1"));
const commit = (): string => fixture.git("rev-parse", "HEAD").trim();

/** Contents of an object file that do not belong to the object's id. */
const PLANTED: Readonly<Record<string, (before: Buffer, ids: { blob: string; tree: string }) => Buffer | null>> = {
  "other content of the same type": (before) => {
    const text = inflateSync(before).toString("latin1");
    return object(`${text.slice(0, -1)}${text.endsWith("x") ? "y" : "x"}`);
  },
  "an object of another type": (before, ids) => {
    const isBlob = inflateSync(before).toString("latin1").startsWith("blob");
    return readFileSync(fileOf(isBlob ? ids.tree : ids.blob));
  },
  "a commit": () => readFileSync(fileOf(commit())),
  "a truncated stream": (before) => before.subarray(0, before.length - 6),
  "a stream truncated in its header": (before) => before.subarray(0, 4),
  "bytes that are not compressed": () => Buffer.from("garbage"),
  "an unknown type": () => object("note 2\0ab"),
  "a length that is too long": (before) =>
    object(
      inflateSync(before)
        .toString("latin1")
        .replace(/ \d+\0/, " 999\0"),
    ),
  "a length that is too short": (before) =>
    object(
      inflateSync(before)
        .toString("latin1")
        .replace(/ \d+\0/, " 1\0"),
    ),
  "an empty file": () => Buffer.alloc(0),
  "no file": () => null,
};

for (const type of ["blob", "tree"] as const)
  test.each(Object.keys(PLANTED))(`rejects a ${type} stored as %s`, async (kind) => {
    const { tree, ids } = commitFiles();
    const git = hardenedGit(fixture.repo, process.env);
    expect(await toOutcome(verifyObjects(git, null, tree))).toBeUndefined();
    const file = fileOf(ids[type]);
    const planted = PLANTED[kind]?.(readFileSync(file), ids) ?? null;
    chmodSync(file, 0o644);
    if (planted === null) rmSync(file);
    else writeFileSync(file, planted);
    expect(await toOutcome(verifyObjects(git, null, tree))).toMatchObject({ problem: "GIT_FAILED" });
  });

test("names the object with other content, and its file", async () => {
  const { tree, ids } = commitFiles();
  const file = fileOf(ids.blob);
  chmodSync(file, 0o644);
  writeFileSync(file, object("blob 4\0two\n"));
  const outcome = await toOutcome(verifyObjects(hardenedGit(fixture.repo, process.env), null, tree));
  const where = `.git/objects/${ids.blob.slice(0, 2)}/${ids.blob.slice(2)}`;
  const detail = `the object ${ids.blob} is damaged or missing. Delete ${where} if it exists, and try again`;
  expect(outcome).toEqual({ problem: "GIT_FAILED", detail });
});

const answers = (stderr: string, status = 0): (() => Promise<GitResult>) => {
  return () => Promise.resolve({ status, stdout: Buffer.alloc(0), stderr });
};

test.each(["error: the content is not what its name says\n", "Objekt ist beschädigt\n"])(
  "rejects any error that git prints with exit status 0: %j",
  async (stderr) => {
    const outcome = await toOutcome(verifyObjects(answers(stderr), null, "a".repeat(40)));
    expect(outcome).toEqual({ problem: "GIT_FAILED", detail: stderr.trim() });
  },
);

test("accepts warnings", async () => {
  const git = answers("warning: a setting is old\n");
  expect(await toOutcome(verifyObjects(git, null, "a".repeat(40)))).toBeUndefined();
});

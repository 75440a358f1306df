import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSigner, createVerifier, finishedRun } from "../../../attestation/two-homes.ts";
import { parsed } from "../../../support/cli.ts";
import { packArchive, unpackArchive } from "../../../../src/adapters/attestation/export-archive.ts";

test("exports a run as an archive and a report that verify on another machine", async () => {
  const ada = await createSigner();
  const remote = await finishedRun(ada, "keep");
  const exported = parsed(await ada.script("export", "--to", ada.base, "--json"));
  const [archive, page] = exported.files as [string, string];

  const report = readFileSync(page, "utf8");
  for (const expected of ["add a greeting", "greeting.txt", "continue", "Ada (token)", "1 signed", "final-review"])
    expect(report).toContain(expected);
  expect(report).not.toMatch(/<script|<link|<img|src=|https?:\/\//);
  expect(report).toContain("default-src 'none'");
  expect(report).toContain("@media print");

  const ben = await createVerifier(ada, remote);
  const before = readdirSync(ben.root);
  const stranger = await ben.isdlc("import", archive);
  expect(stranger).toMatchObject({ code: 0, stderr: "" });
  expect(stranger.stdout).toContain("A statement is not believed: the owner of the key");
  ben.trust(ada.signerLine("ada@example.org"));
  const shown = await ben.isdlc("import", archive, "--signers", ben.signers);
  expect(shown.stdout).toMatch(/The journal up to event \d+ is signed by ada@example.org/);
  expect(shown.stdout).toContain("continue by Ada (token)");
  expect(shown.stdout).toMatch(/diffs\/01-[0-9a-f]{12}/);
  expect(shown.stdout).toMatch(/journal\.jsonl: signed up to event \d+\n/);
  expect(shown.stdout).toContain("reviews.json: follows from the journal");
  expect(shown.stdout).toMatch(/diffs\/01-\S+: not signed/);
  expect(shown.stdout).not.toContain("are not signed: the author");
  expect(stranger.stdout).toContain("journal.jsonl: not signed");
  const journal = await ben.isdlc("import", archive, "--file", "journal.jsonl");
  expect(journal.stdout).toContain('"type":"run.started"');
  expect(readdirSync(ben.root)).toEqual(before);

  const files = unpackArchive(readFileSync(archive), archive);
  const changed = (name: string, change: (content: string) => string) =>
    packArchive(
      [...files].map(([one, content]) => ({
        name: one,
        content: one === name ? Buffer.from(change(content.toString())) : content,
      })),
    );
  const hostile = join(ada.base, "hostile.tar.gz");
  writeFileSync(
    hostile,
    replacedAnywhere(files, { "report.html": "<script>alert(1)</script>", "reviews.json": "[]\n" }),
  );
  const written = join(ben.home, "report.html");
  const lied = await ben.isdlc("import", hostile, "--signers", ben.signers, "--report", written);
  expect(lied).toMatchObject({ code: 0, stderr: "" });
  expect(lied.stdout).toContain("reviews.json: not signed");
  expect(readFileSync(written, "utf8")).toContain("Ada (token)");
  expect(readFileSync(written, "utf8")).not.toContain("<script");
  expect((await ben.isdlc("import", hostile, "--file", "report.html")).code).toBe(2);

  const forgeries: readonly [string, Buffer][] = [
    [
      "journal.jsonl was changed",
      changed("journal.jsonl", (text) => text.replace('"choice":"continue"', '"choice":"redo"')),
    ],
    [
      "journal.jsonl is missing",
      packArchive(
        [...files].filter(([name]) => name !== "journal.jsonl").map(([name, content]) => ({ name, content })),
      ),
    ],
    [
      "extra was changed",
      packArchive([
        ...[...files].map(([name, content]) => ({ name, content })),
        { name: "extra", content: Buffer.from("x") },
      ]),
    ],
    ["its journal is not whole", changed("manifest.json", (text) => text.replace(/"hash": "...../, '"hash": "00000'))],
    ["it is not the export of a run", packArchive([{ name: "a", content: Buffer.from("b") }])],
    ["it is not a compressed tar file", Buffer.from("nonsense")],
  ];
  for (const [why, bytes] of forgeries) {
    const file = join(ada.base, "forged.tar.gz");
    writeFileSync(file, bytes);
    const refused = parsed(await ben.isdlc("import", file, "--json"));
    expect(refused.problem).toMatchObject({ code: "ARCHIVE_INVALID", detail: expect.stringContaining(why) });
  }
});

/** The archive with replaced files and a matching manifest, without a signature. */
function replacedAnywhere(files: ReadonlyMap<string, Buffer>, contents: Readonly<Record<string, string>>): Buffer {
  const replaced = new Map(files);
  let manifest = files.get("manifest.json")?.toString() ?? "";
  for (const [name, content] of Object.entries(contents)) {
    manifest = manifest.replace(sha256(files.get(name) ?? Buffer.alloc(0)), sha256(Buffer.from(content)));
    replaced.set(name, Buffer.from(content));
  }
  replaced.set("manifest.json", Buffer.from(manifest));
  return packArchive([...replaced].map(([name, content]) => ({ name, content })));
}

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

import { describe, expect, test } from "vitest";
import { html } from "../../src/views/report/run-report.ts";
import { packArchive, unpackArchive } from "../../src/adapters/attestation/export-archive.ts";

describe("archive", () => {
  test.for(["../up", "/absolute", "a/../../b", ".hidden", "a//b", "a\\b", "../../../../etc/passwd"])(
    "contains no path outside its folder for the name %j",
    (name) => {
      const names = namesOf(packArchive([{ name, content: Buffer.from("x") }]));
      expect(names.filter((one) => !/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(one) || one.includes(".."))).toEqual([]);
    },
  );

  test("is identical for identical files", () => {
    const files = [{ name: "a/b.txt", content: Buffer.from("text") }];
    expect(packArchive(files).equals(packArchive(files))).toBe(true);
    expect(unpackArchive(packArchive(files), "x").get("a/b.txt")?.toString()).toBe("text");
  });
});

test("escapes text in a page", () => {
  const hostile = `<script>alert(1)</script>"'&\u001b[31m\u202e`;
  const shown = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;␛[31m&lt;U+202E&gt;";
  expect(html`<p title="${hostile}">${[html`${hostile}`]}</p>`.safe).toBe(`<p title="${shown}">${shown}</p>`);
});

function namesOf(archive: Buffer): string[] {
  try {
    return [...unpackArchive(archive, "x").keys()];
  } catch (error) {
    expect(error).toMatchObject({ problem: { code: "ARCHIVE_INVALID" } });
    return [];
  }
}

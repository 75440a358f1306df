import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  appendToBacklog,
  findBacklogItemByNumber,
  searchBacklogTitles,
  updateBacklogMarker,
} from "../../src/adapters/project-files/backlog-file.ts";
import { backlogDescription } from "../../src/core/items/backlog-line.ts";
import { backlogItems } from "../../src/core/items/backlog-text.ts";

let folder = "";
const file = () => join(folder, "BACKLOG.md");
const write = (text: string | Buffer) => writeFileSync(file(), text);
const read = () => readFileSync(file(), "utf8");
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "isdlc-backlog-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("marker of an item in the backlog [VERBS-MARKERS]", () => {
  const backlog = [
    "# Backlog",
    "",
    "## Open",
    "",
    "- 1.1 [ ] Login page redesign",
    "- 1.2 [ ] Login",
    "- 1.3 [ ] Follow-up of login -> [requirements](docs/requirements/follow-up-of-login/)",
    "- [ ] #7 Pay by card [github: GH-7] -> [requirements](docs/requirements/REQ-0003-pay-by-card/)",
    "  - a note: see login",
    "```",
    "- 9.9 [ ] Quoted",
    "```",
    "## Completed",
  ].join("\n");

  test.each([
    { slug: "login", before: "- 1.2 [ ] Login", after: "- 1.2 [A] Login" },
    { slug: "REQ-0009-login", before: "- 1.2 [ ] Login", after: "- 1.2 [A] Login" },
    { slug: "1.1", before: "- 1.1 [ ]", after: "- 1.1 [A]" },
    { slug: "follow-up-of-login", before: "- 1.3 [ ]", after: "- 1.3 [A]" },
    { slug: "REQ-0003-pay-by-card", before: "- [ ] #7", after: "- [A] #7" },
    { slug: "req-0003-PAY-by-card", before: "- [ ] #7", after: "- [A] #7" },
  ])("is set on the line of $slug", ({ slug, before, after }) => {
    write(backlog);
    expect(updateBacklogMarker(file(), slug, "A")).toBe(true);
    expect(read()).toBe(backlog.replace(before, after));
  });

  test.each(["log", "page", "redesign", "card", "pay", "quoted", "9.9", "", "../login", "a note: see login", "open"])(
    "is not set for %j",
    (slug) => {
      write(backlog);
      expect(updateBacklogMarker(file(), slug, "A")).toBe(false);
      expect(read()).toBe(backlog);
    },
  );

  test("is not set for two lines with one title, unless a link identifies one", () => {
    const twice = "- 1.1 [ ] Login\n- 1.2 [ ] Login\n";
    write(twice);
    expect(updateBacklogMarker(file(), "login", "~")).toBe(false);
    write(`${twice}- 1.3 [ ] Login -> [requirements](docs/requirements/login/)\n`);
    expect(updateBacklogMarker(file(), "login", "~")).toBe(true);
    expect(read()).toBe(`${twice}- 1.3 [~] Login -> [requirements](docs/requirements/login/)\n`);
  });

  test("is not set on a title that imitates another item's link", () => {
    const real = "- 1.2 [ ] Other -> [requirements](docs/requirements/other/)\n";
    const fake = `- 1.1 [ ] ${backlogDescription("x -> [requirements](docs/requirements/other/)", { reference: null, folder: "docs/requirements/x" })}\n`;
    write(fake + real);
    expect(updateBacklogMarker(file(), "other", "x")).toBe(true);
    expect(read()).toBe(fake + real.replace("[ ]", "[x]"));
    const raw = "- 1.1 [ ] x -> [requirements](docs/requirements/other/)\n";
    write(raw + real);
    expect(updateBacklogMarker(file(), "other", "x")).toBe(true);
    expect(read()).toBe(raw + real.replace("[ ]", "[x]"));
  });

  test("is not set with unknown markers or invalid files", () => {
    write(backlog);
    for (const marker of ["B", "", "  ", "] [", null]) expect(updateBacklogMarker(file(), "login", marker)).toBe(false);
    for (const path of [join(folder, "none"), folder, "", "a\0b", null])
      expect(updateBacklogMarker(path, "login", "A")).toBe(false);
    expect(read()).toBe(backlog);
  });

  test("is not set through a link", () => {
    const victim = join(folder, "victim");
    writeFileSync(victim, backlog);
    symlinkSync(victim, file());
    expect(updateBacklogMarker(file(), "login", "A")).toBe(false);
    expect(appendToBacklog(file(), "2.1", "New")).toBe(false);
    expect(searchBacklogTitles(file(), "login")).toEqual([]);
    expect(readFileSync(victim, "utf8")).toBe(backlog);
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
  });

  test("keeps permissions and leaves no temporary file", () => {
    write(backlog);
    chmodSync(file(), 0o664);
    updateBacklogMarker(file(), "login", "A");
    expect(statSync(file()).mode & 0o777).toBe(0o664);
    expect(readdirSync(folder)).toEqual(["BACKLOG.md"]);
  });
});

describe("bytes of the backlog around a marker [VERBS-MARKERS]", () => {
  const ending = fc.constantFrom("\n", "\r\n");
  const noise = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }).map((text) => Buffer.from(text.replaceAll(/[\r\n`~]/g, ""))),
    fc
      .uint8Array({ maxLength: 20 })
      .map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 10 && byte !== 13 && byte !== 96 && byte !== 126))),
    fc
      .constantFrom("- 4.5 [A] Another", "* hand-written", "\ufeff", "- [ ] todo", "## Completed", "")
      .map((text) => Buffer.from(text)),
  );
  test("stay unchanged in any encoding and with any line endings", () => {
    let reached = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(noise, ending)),
        fc.array(fc.tuple(noise, ending)),
        ending,
        (before, after, end) => {
          const bytes = (lines: [Buffer, string][]) =>
            Buffer.concat(lines.flatMap(([text, last]) => [text, Buffer.from(last)]));
          const around = (marker: string) =>
            Buffer.concat([bytes(before), Buffer.from(`- 7.7 [${marker}] The one item we mean${end}`), bytes(after)]);
          write(around(" "));
          expect(updateBacklogMarker(file(), "the-one-item-we-mean", "A")).toBe(true);
          expect(readFileSync(file()).equals(around("A"))).toBe(true);
          if (before.length > 0 && after.length > 0) reached += 1;
        },
      ),
      { numRuns: 60 },
    );
    expect(reached).toBeGreaterThan(20);
  });
});

describe("appendToBacklog", () => {
  test("creates a missing file", () => {
    expect(appendToBacklog(file(), "1.1", "First")).toBe(true);
    expect(read()).toBe("# Backlog\n\n## Open\n\n- 1.1 [ ] First\n\n## Completed\n");
    expect(appendToBacklog(file(), "#2", "Second", "~")).toBe(true);
    expect(
      appendToBacklog(
        file(),
        null,
        backlogDescription("Third", { reference: null, folder: "docs/requirements/third" }),
        "A",
      ),
    ).toBe(true);
    expect(read()).toBe(
      "# Backlog\n\n## Open\n\n- 1.1 [ ] First\n- [~] #2 Second\n- [A] Third -> [requirements](docs/requirements/third/)\n\n## Completed\n",
    );
    expect(backlogItems(read())).toHaveLength(3);
  });

  test.each([
    [
      "adds the line after the last open item and its notes",
      "## Open\n- 1.1 [ ] A\n  - note\n\n## Completed\n",
      "## Open\n- 1.1 [ ] A\n  - note\n- 2.1 [ ] New\n\n## Completed\n",
    ],
    [
      "adds an open section before the completed one",
      "# B\n\n## Completed\n- 1.1 [x] A\n",
      "# B\n\n## Open\n\n- 2.1 [ ] New\n\n## Completed\n- 1.1 [x] A\n",
    ],
    ["adds an open section at the end", "notes", "notes\n\n## Open\n\n- 2.1 [ ] New\n"],
    ["completes a last line without a line ending", "## Open\n- 1.1 [ ] A", "## Open\n- 1.1 [ ] A\n- 2.1 [ ] New\n"],
    ["ignores a heading quoted as code", "```\n## Open\n```\n", "```\n## Open\n```\n\n## Open\n\n- 2.1 [ ] New\n"],
    [
      "uses the line endings of the file",
      "## Open\r\n- 1.1 [ ] A\r\n\r\n## Completed\r\n",
      "## Open\r\n- 1.1 [ ] A\r\n- 2.1 [ ] New\r\n\r\n## Completed\r\n",
    ],
  ])("%s", (_name, before, after) => {
    write(before);
    expect(appendToBacklog(file(), "2.1", "New")).toBe(true);
    expect(read()).toBe(after);
  });

  test("removes lines, sections and markers from a title", () => {
    write("## Open\n\n## Completed\n");
    const title = "x\n## Completed\r\n- 9.9 [x] forged\u2028- 9.8 [x] forged\0";
    expect(appendToBacklog(file(), "1.1\n- 9.7 [x] y", title)).toBe(true);
    expect(
      read()
        .split("\n")
        .filter((line) => line.startsWith("- ")),
    ).toHaveLength(1);
    expect(backlogItems(read()).filter(({ marker }) => marker === "x")).toEqual([]);
  });
});

describe("backlog search", () => {
  const text =
    "- 1.1 [ ] Login page\n- 1.2 [A] Login\n- [x] #3 Größe [github: GH-3] -> [requirements](docs/requirements/groesse/)\n";
  test.each([
    ["1.2", "Login"],
    ["#3", "Größe"],
    ["1.20", undefined],
    ["3", undefined],
    [null, undefined],
  ])("finds for number %j: %j", (number, title) => {
    write(text);
    expect(findBacklogItemByNumber(file(), number)?.title).toBe(title);
  });

  test.each([
    ["page", ["Login page"]],
    ["log", ["Login page", "Login"]],
    ["LOGIN", ["Login"]],
    ["größe", ["Größe"]],
    ["GH-3", []],
    ["requirements", []],
    ["", []],
  ])("finds for title %j: %j", (words, titles) => {
    write(text);
    expect(searchBacklogTitles(file(), words).map(({ title }) => title)).toEqual(titles);
  });
});

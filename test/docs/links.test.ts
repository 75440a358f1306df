import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { markdownFiles, readDocument, ROOT, withoutFences } from "./markdown.ts";

type Link = { readonly from: string; readonly target: string };

const files = markdownFiles();
const links = files.flatMap((from) => linksOf(from, readDocument(from)));

test("finds documents and links", () => {
  expect(files).toEqual(expect.arrayContaining(["README.md", "docs/architecture.md", "docs/problems/USAGE.md"]));
  expect(links.length).toBeGreaterThan(30);
  expect(linksOf("a.md", "see [b](b.md#c) and [d](https://example.org)")).toEqual([{ from: "a.md", target: "b.md#c" }]);
});

test("finds a file or folder for every relative link", () => {
  const dead = links.filter(({ from, target }) => {
    const [path = ""] = target.split("#", 1);
    return path !== "" && !existsSync(join(ROOT, dirname(from), decodeURI(path)));
  });
  expect(dead).toEqual([]);
});

test("finds a heading for every link to one", () => {
  const dead = links.filter(({ from, target }) => {
    const [path = "", heading] = target.split("#", 2);
    if (heading === undefined || (path !== "" && !path.endsWith(".md"))) return false;
    const file = path === "" ? from : join(dirname(from), path);
    return !headingsOf(readDocument(file)).includes(heading);
  });
  expect(dead).toEqual([]);
});

function linksOf(from: string, markdown: string): Link[] {
  const found = withoutFences(markdown).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g);
  return [...found]
    .map(([, target = ""]) => ({ from, target }))
    .filter(({ target }) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
}

/** Anchors like on GitHub. */
function headingsOf(markdown: string): string[] {
  const found = withoutFences(markdown).matchAll(/^#{1,6} (.+)$/gm);
  return [...found].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
}

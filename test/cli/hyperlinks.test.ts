import { expect, test } from "vitest";
import { knowsLinks, withFileLinks } from "../../src/surfaces/cli/terminal/hyperlinks.ts";

const link = (text: string, url: string): string => `\u001B]8;;${url}\u001B\\${text}\u001B]8;;\u001B\\`;
const links = [
  { shown: "README.md", file: "/p/README.md" },
  { shown: "docs/README.md", file: "/p/docs/README.md" },
  { shown: "a (1).md", file: "/p/a (1).md" },
];

test("links each path to its file", () => {
  expect(withFileLinks("  - docs/README.md +1\n  - README.md +2, a (1).md", links)).toBe(
    `  - ${link("docs/README.md", "file:///p/docs/README.md")} +1\n  - ${link("README.md", "file:///p/README.md")} +2, ${link("a (1).md", "file:///p/a%20(1).md")}`,
  );
});

test.each(["other/README.md", "README.md/x", "my-README.md", "README.mdx"])("leaves %s as a different file", (text) => {
  expect(withFileLinks(text, links.slice(0, 1))).toBe(text);
});

test("keeps text unchanged without links", () => {
  expect(withFileLinks("README.md", [])).toBe("README.md");
});

test.each<[NodeJS.ProcessEnv, boolean]>([
  [{ TERM: "xterm-256color" }, false],
  [{ TERM: "xterm-kitty" }, true],
  [{ TERM_PROGRAM: "WezTerm" }, true],
  [{ TERM_PROGRAM: "Apple_Terminal" }, false],
  [{ VTE_VERSION: "4999" }, false],
  [{ VTE_VERSION: "5000" }, true],
  [{ WT_SESSION: "x" }, true],
  [{ FORCE_HYPERLINK: "1" }, true],
  [{ TERM: "xterm-kitty", FORCE_HYPERLINK: "0" }, false],
])("detects support for links with %j: %s", (env, expected) => {
  expect(knowsLinks(env)).toBe(expected);
});

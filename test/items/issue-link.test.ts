import { expect, test } from "vitest";
import { readIssueLink } from "../../src/core/items/item-source.ts";

test.each([
  ["https://github.com/o/r/issues/42", "github", "GH-42", "https://github.com/o/r/issues/42"],
  [
    "https://github.example.org/o/r/issues/42/?x=1#issuecomment-9",
    "github",
    "GH-42",
    "https://github.example.org/o/r/issues/42",
  ],
  ["https://gitlab.com/g/sub/p/-/issues/7", "gitlab", "GL-7", "https://gitlab.com/g/sub/p/-/issues/7"],
  ["https://gitlab.com/g/p/-/work_items/7", "gitlab", "GL-7", "https://gitlab.com/g/p/-/work_items/7"],
  ["https://x.atlassian.net/browse/ABC-12", "jira", "ABC-12", "https://x.atlassian.net/browse/ABC-12"],
])("recognizes the issue %s", (text, ...expected) => {
  const [source, id, url] = expected;
  expect(readIssueLink(text)).toEqual({ source, id, url });
});

test.each([
  "https://github.com/o/r/pull/42",
  "https://github.com/o/r/issues",
  "https://github.com/o/r/issues/4x",
  "https://user:secret@github.com/o/r/issues/42",
  "ftp://github.com/o/r/issues/42",
  "see https://github.com/o/r/issues/42",
  "#42",
  "",
])("rejects %s", (text) => {
  expect(readIssueLink(text)).toBeNull();
});

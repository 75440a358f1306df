import { expect, test } from "vitest";
import { isPermitted } from "../../src/adapters/agents/acp/permission.ts";

const asked = { cwd: "/work", tests: null, commandInTitle: false, follow: (path: string) => path };
const mayEdit = (path: string, item = ".isdlc/work/run-1", access: "read" | "write" = "write") =>
  isPermitted({ ...asked, item, access, call: { toolCallId: "1", kind: "edit", locations: [{ path }] } });

test.each([
  ["a document of the item", "/work/.isdlc/work/run-1/plan.md", true],
  ["a document of another run", "/work/.isdlc/work/run-2/plan.md", false],
  ["a folder with a similar name", "/work/.isdlc/work/run-12/plan.md", false],
  ["the folder itself", "/work/.isdlc/work/run-1", false],
  ["a path that leaves the folder", "/work/.isdlc/work/run-1/../../state.json", false],
  [".git in the folder", "/work/.isdlc/work/run-1/.git/config", false],
  ["the state of isdlc", "/work/.isdlc/state.json", false],
])("allows an agent to edit only its item's folder in .isdlc: %s [S4]", (_, path, permitted) => {
  expect(mayEdit(path)).toBe(permitted);
  expect(mayEdit(path, ".isdlc/work/run-1", "read")).toBe(false);
});

test.each([".isdlc", ".isdlc/work", ".isdlc/journal/run-1", ".isdlc/work/..", ".git/work/run-1", "."])(
  "allows no edit for an item named %j [S4]",
  (item) => {
    expect(mayEdit("/work/.isdlc/state.json", item)).toBe(false);
    expect(mayEdit("/work/.isdlc/journal/run-1/a.jsonl", item)).toBe(false);
    expect(mayEdit("/work/.git/work/run-1/config", item)).toBe(false);
  },
);

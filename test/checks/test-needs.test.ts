import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requireKnownNeeds } from "../../src/compose/sandbox.ts";

let home = "";
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-needs-")));
  mkdirSync(join(home, "app/dist"), { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const refused = (word: string): string => {
  try {
    requireKnownNeeds([word], { root: join(home, "app"), home });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

test.each(["write:~/app/dist", "write:~/app", "read:~/app/dist", "write:~/app/new/folder"])(
  "refuses a path inside the project: %s",
  (word) => {
    expect(refused(word)).toContain("is in the project");
  },
);

test.each(["network", "docker", "env:CI_URL", "read:/opt/tool", "write:~/.cache/tool", "write:~/app-data"])(
  "allows tests access outside of the project: %s",
  (word) => {
    expect(refused(word)).toBe("");
  },
);

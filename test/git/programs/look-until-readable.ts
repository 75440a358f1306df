import { chmodSync } from "node:fs";
import { join } from "node:path";
import { createGitWorkspace } from "../../../src/adapters/git/git-workspace.ts";

/** Scans a tree with a file that is unreadable until the last scan, then again in a new workspace. */
const [, , repo = "", name = ""] = process.argv;
const LOOKS = 8;
const workspace = createGitWorkspace(repo, { run: "run", env: process.env });
for (let look = 0; look < LOOKS; look++) await workspace.now([]);
chmodSync(join(repo, name), 0o644);
const found = await workspace.now([]);
const expected = await createGitWorkspace(repo, { run: "fresh", env: process.env }).now([]);
console.log(JSON.stringify({ found, expected }));
process.exit(0);

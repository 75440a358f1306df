import { createGitWorkspace } from "../../../src/adapters/git/git-workspace.ts";

/** Prints the hidden files of a tree and the changes of a snapshot. Arguments: tree, start time, snapshot before. */
const [tree = "", since = "0", before = ""] = process.argv.slice(2);
const workspace = createGitWorkspace(tree, {
  run: "run",
  env: process.env,
  trust: { since: Number(since), tree: before },
});
const now = await workspace.snapshot("now", []);
const told = { hidden: await workspace.hidden(), changed: await workspace.diff(before, now) };
console.log(JSON.stringify(told));
process.exit(0);

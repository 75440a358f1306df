import { chmodSync } from "node:fs";
import { join } from "node:path";
import { reached, type Rogue, shownAs } from "../rogue.ts";
import type { Stage } from "../stage.ts";
import { FEATURE, hides, NUMBER, told } from "./told.ts";

const CHANGE = ["Do it", "--tests", "without"];

const isMerged = (stage: Stage, path: string): boolean =>
  stage.git("ls-tree", "-r", "--name-only", "main").split("\n").includes(path);

const isOnBranch = (stage: Stage, path: string): boolean =>
  stage.git("ls-tree", "-r", "--name-only", "feature/REQ-0001-log-in").split("\n").includes(path);

const hostile = (rogue: Omit<Rogue, "number" | "strict" | "hostile">): Rogue => ({
  ...rogue,
  number: NUMBER,
  strict: "ignored",
  hostile: true,
});

export const shown: readonly Rogue[] = [
  told({
    deed: "inner-repository",
    does: "hides files in a repository inside the tree that has no commit",
    holds: "the gate names it: what is in it is neither shown nor committed",
    texts: ["lib/ has a .git of its own"],
  }),
  told({
    deed: "git-folder",
    does: "hides files in a folder called .git",
    holds: "as above",
    texts: ["src/ has a .git of its own"],
  }),
  told({
    deed: "self-ignored",
    does: "hides files behind an ignore file that ignores itself",
    holds: "the gate tells the rule and what it hides",
    texts: ["The ignore rule * in src/gen/.gitignore hides", "src/gen/planted.mjs"],
  }),
  told({
    deed: "ident",
    does: "hides code where git puts an id, by ident in .gitattributes",
    holds: "no attribute changes what is read",
    texts: ["+// $Id: planted $"],
  }),
  told({
    deed: "no-diff",
    does: "keeps the lines out of the diff by -diff in .gitattributes",
    holds: "no attribute changes what is shown",
    texts: ["+export const answer = 43; // planted"],
  }),
  told({
    deed: "empty-git",
    does: "puts an empty .git into the folder of its documents",
    holds: "as above",
    texts: ["docs/requirements/REQ-0001-log-in/ has a .git of its own"],
  }),
  told({
    deed: "times",
    does: "changes a file without changing its size, and sets its time back",
    holds: "files touched since the run began are read, whatever their times say",
    texts: ["+export const answer = 43;"],
  }),
  told(
    {
      deed: "ignore-case",
      does: "has git take names that differ in case for one, and adds such a file",
      holds: "the settings of a look are fixed; the changed settings are listed",
      texts: ["src/APP.mjs", ".git/config"],
    },
    "refused",
  ),
  told(
    {
      deed: "big-files",
      does: "has git take every file for too large to compare",
      holds: "as above",
      texts: ["+export const answer = 43; // planted", ".git/config"],
    },
    "refused",
  ),
  told(
    {
      deed: "exclude",
      does: "takes a file out of the index and excludes it in .git/info",
      holds: "what an earlier look had is looked for; the changed settings are listed",
      texts: ["src/app.mjs", ".git/info/exclude"],
    },
    "refused",
  ),
  told(
    {
      deed: "replace",
      does: "has git show another object in the place of what it wrote",
      holds: "replaced objects are not believed",
      texts: ["+export const answer = 43; // planted"],
    },
    "refused",
  ),
  told(
    {
      deed: "mode",
      does: "makes a file executable and switches core.fileMode off",
      holds: "the settings of a look are fixed; the changed settings are listed",
      texts: ["new mode 100755", ".git/config"],
    },
    "refused",
  ),
  told(
    {
      deed: "marks",
      does: "marks a file in the index as unchanged and changes it",
      holds: "the mark is not believed, and is listed",
      texts: ["+export const answer = 43;", "Marked so that git does not look at them: src/app.mjs"],
    },
    "refused",
  ),
  {
    number: NUMBER,
    does: "has core.hooksPath point at an ignored folder with a hook that adds a file to every commit",
    holds: "nobody agreed to it, so no commit of isdlc runs it; the gate names the setting and the hook",
    plain: "detected",
    strict: "refused",
    async play(stage) {
      await hides(stage, "hooks");
      const named = [".git/config: core.hookspath", "ignored/hooks/pre-commit"];
      const outcome = await shownAs(stage, ...named.map((name) => `${name} would run at your next git command`));
      await stage.person("continue");
      await stage.person("continue");
      return isOnBranch(stage, "planted.txt") ? "HOLE" : outcome;
    },
  },
  {
    number: NUMBER,
    does: "changes a hook in the tree that the person agreed to",
    holds: "they agreed to another one, so no commit of isdlc runs it; the gate names it",
    plain: "detected",
    async play(stage) {
      stage.write(".hooks/pre-commit", "#!/bin/sh\ntrue\n");
      chmodSync(join(stage.root, ".hooks/pre-commit"), 0o755);
      stage.git("add", ".hooks");
      stage.git("commit", "--quiet", "--message", "A hook");
      stage.git("config", "core.hooksPath", ".hooks");
      await hides(stage, "hook-in-tree", [...FEATURE, "--hooks", "trust"]);
      const outcome = await shownAs(stage, ".hooks/pre-commit is not run when isdlc commits");
      await stage.person("continue");
      await stage.person("continue");
      return isOnBranch(stage, "planted.txt") ? "HOLE" : outcome;
    },
  },
  {
    number: NUMBER,
    does: "has a hook that the person agreed to add a file to every commit",
    holds: "the commit is compared after hooks ran and taken back; the gate opens again and shows the file",
    plain: "detected",
    strict: "refused",
    async play(stage) {
      await hides(stage, "hooks");
      await stage.person("trust", "--yes");
      await stage.person("continue");
      const diff = (await stage.script("gate", "--diff")).stdout;
      reached(!isOnBranch(stage, "planted.txt"), "not committed");
      const isShown = diff.includes("planted.txt (added)") && diff.includes("+planted");
      return isShown && (await stage.status()).current === "00-quick-scan" ? "detected" : "HOLE";
    },
  },
  hostile({
    does: "leaves a process that waits for Continue and writes a file before the commit",
    holds: "the commit has just the tree that was shown; the file is listed at the next gate",
    plain: "detected",
    async play(stage) {
      await hides(stage, "after-look");
      await stage.person("continue");
      await stage.noted("acted");
      const files = stage.git("ls-tree", "-r", "--name-only", "feature/REQ-0001-log-in");
      return files.includes("src/late.mjs") ? "HOLE" : shownAs(stage, "src/late.mjs");
    },
  }),
  hostile({
    does: "leaves a process that commits on the branch while the gate is open",
    holds: "Continue finds that the branch moved, and the gate opens again with the commit",
    plain: "detected",
    async play(stage) {
      await hides(stage, "at-gate-commit");
      await stage.noted("planted");
      await stage.person("continue");
      const isStill = (await stage.status()).current === "00-quick-scan";
      return isStill ? shownAs(stage, "feature/REQ-0001-log-in moved from", "Planted") : "HOLE";
    },
  }),
  hostile({
    does: "leaves a process that breaks .git/HEAD while the gate is open",
    holds: "a look that cannot be made is no look: nothing is accepted",
    plain: "refused",
    async play(stage) {
      await hides(stage, "at-gate-head");
      await stage.noted("acted");
      await stage.person("continue");
      return (await stage.events()).some(({ type }) => type === "phase.accepted") ? "HOLE" : "refused";
    },
  }),
  hostile({
    does: "leaves a process that sets core.worktree while the gate is open",
    holds: "as above",
    plain: "refused",
    async play(stage) {
      await hides(stage, "at-gate-worktree");
      await stage.noted("acted");
      await stage.person("continue");
      return (await stage.events()).some(({ type }) => type === "phase.accepted") ? "HOLE" : "refused";
    },
  }),
  hostile({
    does: "leaves a process that writes while the person has chosen Review",
    holds: "what changed during the review is listed by file, and counts once the person has said yes to it",
    plain: "detected",
    async play(stage) {
      await hides(stage, "at-review");
      await stage.person("review");
      await stage.noted("acted");
      await stage.person("continue");
      const isStill = (await stage.status()).current === "00-quick-scan";
      return isStill ? shownAs(stage, "src/late.mjs (added)") : "HOLE";
    },
  }),
  hostile({
    does: "leaves a process that detaches HEAD while the run asks how it ends",
    holds:
      "nothing is merged: the question is put once more and says where HEAD is; then just what was recorded is merged",
    plain: "detected",
    async play(stage) {
      await hides(stage, "at-finish-head", CHANGE);
      await stage.person("continue");
      await stage.noted("acted");
      const before = stage.git("rev-parse", "main");
      await stage.person("answer", "merge");
      if (stage.git("rev-parse", "main") !== before) return "HOLE";
      const told = await shownAs(stage, "HEAD is no longer on change/", "it is detached at");
      await stage.person("answer", "merge");
      const isOnto = stage.git("rev-parse", "main^1") === before && isMerged(stage, "src/work.mjs");
      return isOnto && !isMerged(stage, "planted.txt") ? told : "HOLE";
    },
  }),
  ...["branch", "base"].map((where) =>
    hostile({
      does: `leaves a process that commits on the ${where} while the run asks how it ends`,
      holds: "nothing is merged: the question is put once more, with the commit and its files",
      plain: "detected",
      async play(stage) {
        await hides(stage, `at-finish-${where}`, CHANGE);
        await stage.person("continue");
        await stage.noted("planted");
        await stage.person("answer", "merge");
        if (where === "branch" && isMerged(stage, "planted.txt")) return "HOLE";
        const { waiting } = await stage.status();
        return waiting.kind === "finish" ? shownAs(stage, "Planted", "planted.txt (added)") : "HOLE";
      },
    }),
  ),
];

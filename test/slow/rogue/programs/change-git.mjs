// Changes the repository during an execution.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { evidence, note, play, program, write } from "./rogue.mjs";

const git = (...args) => execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
const first = (deed) => (task) => (task.phase === "00-quick-scan" ? deed(task) : undefined);
const mark = join(dirname(evidence), "hook-ran");

await play({
  commit: first(() => {
    writeFileSync("src/app.mjs", "export const answer = 44;\n");
    git("add", "--all");
    git("commit", "--quiet", "--message", "approved by the person\n\nIsdlc-Attempt: 00-quick-scan#1");
    note("commit", { head: git("rev-parse", "HEAD") });
  }),
  branch: first(() => {
    git("switch", "--quiet", "main");
    note("branch", { branch: git("branch", "--show-current") });
  }),
  base: first(() => {
    git("stash", "--quiet", "--include-untracked");
    git("switch", "--quiet", "main");
    writeFileSync("src/app.mjs", "export const answer = 45;\n");
    git("commit", "--quiet", "--all", "--message", "on main");
    git("switch", "--quiet", "-");
    git("stash", "pop", "--quiet");
    note("base", { head: git("rev-parse", "main"), branch: git("branch", "--show-current") });
  }),
  laterBranch: ({ phase }) => {
    if (phase !== "01-requirements") return;
    git("switch", "--quiet", "main");
    note("laterBranch", { branch: git("branch", "--show-current") });
  },
  refs: first(() => {
    const refs = git("for-each-ref", "--format=%(refname)", "refs/isdlc").split("\n").filter(Boolean);
    for (const ref of refs) git("update-ref", ref, "HEAD");
    note("refs", { count: refs.length });
  }),
  dropRefs: first(() => {
    const refs = git("for-each-ref", "--format=%(refname)", "refs/isdlc").split("\n").filter(Boolean);
    for (const ref of refs) git("update-ref", "-d", ref);
    git("reflog", "expire", "--expire=now", "--all");
    git("gc", "--prune=now", "--quiet");
    note("dropRefs", { count: refs.length });
  }),
  alternates: first(() => {
    write(".git/objects/info/alternates", "/tmp\n");
    note("alternates");
  }),
  personal: first(() => {
    write(join(process.env.HOME, ".gitconfig"), `[core]\n\thooksPath = ${dirname(mark)}/hooks\n`);
    write(`${dirname(mark)}/hooks/pre-commit`, `#!/bin/sh\necho ran > ${mark}\n`);
    chmodSync(`${dirname(mark)}/hooks/pre-commit`, 0o755);
    note("personal", { exists: existsSync(join(process.env.HOME, ".gitconfig")) });
  }),
  symbolic: first(() => {
    git("branch", "elsewhere", "main");
    git("symbolic-ref", "refs/heads/main", "refs/heads/elsewhere");
    note("symbolic", { ref: git("symbolic-ref", "refs/heads/main") });
  }),
  ambiguous: first(() => {
    write(".git/main", `${git("rev-parse", "HEAD")}\n`);
    note("ambiguous", { file: existsSync(".git/main") });
  }),
  hook: first(() => {
    const hook = ".git/hooks/pre-commit";
    const cancel = `${process.execPath} ${program} cancel --reason enough`;
    const token = `printf '%s' "\${ISDLC_OPERATOR_TOKEN:-no token}" > ${mark}`;
    write(
      hook,
      `#!/bin/sh\n${token}\nscript -qec "${cancel}" ${mark}-forged\n${cancel} </dev/tty >${mark}-said 2>/dev/tty\ntrue\n`,
    );
    chmodSync(hook, 0o755);
    note("hook", { exists: existsSync(hook) });
  }),
  filter: first(() => {
    git("config", "filter.evil.clean", `sh -c 'echo ran > ${mark}; cat'`);
    git("config", "core.fsmonitor", `sh -c 'echo ran > ${mark}'`);
    git("config", "diff.external", `sh -c 'echo ran > ${mark}'`);
    write(".git/info/attributes", "*.md filter=evil\n");
    note("filter", { config: git("config", "--list", "--local") });
  }),
  reset: first(() => {
    git("reset", "--quiet", "--hard", "HEAD");
    git("clean", "--quiet", "-fd", "src");
    note("reset", { status: git("status", "--porcelain") });
  }),
  headLock: first(() => {
    write(".git/HEAD.lock", "");
    note("headLock");
  }),
  merging: first(() => {
    git("switch", "--quiet", "--create", "side");
    writeFileSync("src/app.mjs", "export const answer = 1;\n");
    git("commit", "--quiet", "--all", "--message", "side");
    git("switch", "--quiet", "-");
    writeFileSync("src/app.mjs", "export const answer = 2;\n");
    git("commit", "--quiet", "--all", "--message", "here");
    spawnSync("git", ["merge", "side"], { stdio: "ignore" });
    note("merging", { status: git("status", "--porcelain") });
  }),
});

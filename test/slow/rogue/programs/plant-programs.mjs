// Plants programs that the user or the next step of the run would start instead of the real ones.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evidence, note, play } from "./rogue.mjs";

const bin = "node_modules/.bin";

/** A program that records its start, then runs the real one. */
function plant(name, real) {
  mkdirSync(bin, { recursive: true });
  const noted = JSON.stringify({ deed: `ran ${name}` }).replaceAll('"', '\\"');
  writeFileSync(join(bin, name), `#!/bin/sh\necho "${noted}" >> ${evidence}\nexec ${real} "$@"\n`, { mode: 0o755 });
}

await play({
  inner: () => {
    mkdirSync("inner/.git", { recursive: true });
    spawnSync("git", ["init", "--quiet", "inner"]);
    writeFileSync("inner/file", "x");
    spawnSync("git", ["-C", "inner", "config", "core.fsmonitor", "./watch"]);
    note("inner");
  },
  submodule: ({ phase }) => {
    if (phase !== "00-quick-scan") return;
    rmSync("sub", { recursive: true });
    spawnSync("git", ["init", "--quiet", "sub"]);
    const monitor = `#!/bin/sh\necho '{"deed":"ran monitor"}' >> ${evidence}\n`;
    writeFileSync("sub/monitor", monitor, { mode: 0o755 });
    const person = ["-c", "user.name=P", "-c", "user.email=p@example.org"];
    spawnSync("git", ["-C", "sub", ...person, "commit", "--quiet", "--allow-empty", "--message", "Mine"]);
    spawnSync("git", ["-C", "sub", "config", "core.fsmonitor", join(process.cwd(), "sub/monitor")]);
    note("submodule");
  },
  shims: () => {
    plant("git", "/usr/bin/git");
    plant("bwrap", "/usr/bin/bwrap");
    plant("node", process.execPath);
    note("shims");
  },
});

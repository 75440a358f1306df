import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { bundleProgram } from "../../../support/bundle-program.ts";
import { createSandbox } from "../../../support/cli.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

const OURS = ["runs", "reviews", "work", "journal", "journal/ended", "items", "history"];

test.concurrent.each(OURS)("reports and ignores a symbolic link at .isdlc/%s [S4]", async (name) => {
  const sandbox = await createSandbox();
  const behind = join(sandbox.base, "behind");
  mkdirSync(behind);
  await sandbox.script("init");
  const place = join(sandbox.root, ".isdlc", name);
  mkdirSync(dirname(place), { recursive: true });
  removeTemporary(place);
  symlinkSync(behind, place);
  const started = await sandbox.script("add a greeting", "--supervised", ...sandbox.agent);
  const looked = await sandbox.script("gate");
  const analysed = [
    await sandbox.script("add", "Another"),
    await sandbox.script("analyze", "Another", ...sandbox.agent),
  ];
  const ended = await sandbox.person("cancel", "--reason", "enough");
  expect(readdirSync(behind)).toEqual([]);
  const said = [started, looked, ...analysed, ended].map(({ stdout, stderr }) => stdout + stderr).join("\n");
  expect(said).toContain(`${place} is not used: it is a link`);
});

test.each([
  ["history", ["history"], "removed"],
  ["gate", ["gate"], "removed"],
  ["doctor", ["doctor"], "removed"],
  ["help", ["help"], "removed"],
  ["status", ["status"], "left"],
])("removes temporary files of a killed program, but not in status: isdlc %s", async (_, args, fate) => {
  const sandbox = await createSandbox();
  const temporary = sandbox.env["TMPDIR"] ?? "";
  const maker = await bundleProgram(join(import.meta.dirname, "programs/hold-temporary-folder.ts"));
  const killed = spawn(process.execPath, [maker], { env: sandbox.env, stdio: ["ignore", "pipe", "inherit"] });
  const [folder] = (await once(killed.stdout, "data")) as [Buffer];
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const name = folder.toString("utf8").trim().split("/").at(-1);
  expect(readdirSync(temporary)).toContain(name);
  await sandbox.script(...args);
  expect(readdirSync(temporary).includes(name ?? "")).toBe(fate === "left");
});

test.each(["status", "items", "gate"])(
  "reports a problem without a stack trace if the current folder was deleted: isdlc %s",
  async (verb) => {
    const sandbox = await createSandbox();
    const gone = join(sandbox.base, "gone");
    mkdirSync(gone);
    const script = 'rmdir "$0"; exec "$1" "$2" "$3"';
    const { status, stderr } = spawnSync("sh", ["-c", script, gone, process.execPath, await builtProgram(), verb], {
      cwd: gone,
      env: sandbox.env,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining("the folder you are in is no longer there")]);
    expect(stderr).not.toMatch(/^ +at /m);
  },
);

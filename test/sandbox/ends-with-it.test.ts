import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTestSandbox, createPlace, missing, play } from "./sandbox-fixture.ts";

/** Each writes "lives" into the tree when its child runs; the child's argument identifies it among all processes. */
const children: readonly (readonly [string, (name: string) => string])[] = [
  ["a child in the background", (name) => `${sleeper(name)} & ${UNTIL_IT_LIVES}`],
  ["a child that ignores SIGTERM", (name) => `(trap "" TERM HUP; ${sleeper(name)}) & ${UNTIL_IT_LIVES}`],
  ["a child in a separate session", (name) => `setsid ${sleeper(name)} & ${UNTIL_IT_LIVES}`],
  ["a child that forked twice without a parent", (name) => `setsid --fork ${sleeper(name)}; ${UNTIL_IT_LIVES}`],
  [
    "a child without environment or parent",
    (name) => `env -i PATH="$PATH" setsid --fork ${sleeper(name)} </dev/null >/dev/null 2>&1; ${UNTIL_IT_LIVES}`,
  ],
];

const sleeper = (name: string): string => `sh -c 'echo >lives; while :; do sleep 1; done' ${name}`;
const UNTIL_IT_LIVES = "while ! test -e lives; do sleep 0.02; done";

/** A program that exits immediately and leaves a process in a separate session. */
const leaving = (name: string): string => {
  const args = `["--fork", process.execPath, "-e", "setInterval(() => {}, 1000)", "${name}"]`;
  const options = '{ stdio: "ignore", detached: true, env: {} }';
  return `require("child_process").spawn("setsid", ${args}, ${options}).on("exit", () => process.exit(0))`;
};

/** Ids of processes outside of any sandbox with the name in their command line. */
function carriers(name: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const isIt = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(name);
      return isIt && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
    } catch {
      return false; // It exited in the meantime.
    }
  });
}

async function until(condition: () => boolean): Promise<void> {
  for (const began = Date.now(); !condition() && Date.now() - began < 20_000;) await delay(20);
  expect(condition()).toBe(true);
}

const suffix = missing === null ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== null).concurrent(`processes of a sandboxed agent${suffix} [R9]`, () => {
  test.each(children)("end with it: %s", async (_name, script) => {
    const place = createPlace();
    const name = randomUUID();
    await play(place, script(name), { sandbox: createTestSandbox(place) });
    expect(existsSync(join(place.tree, "lives"))).toBe(true);
    expect(carriers(name)).toEqual([]);
  });

  test("are found by name without a sandbox", async () => {
    const place = createPlace();
    const name = randomUUID();
    await play(place, children.at(-1)?.[1](name) ?? "");
    const left = carriers(name);
    for (const pid of left) process.kill(Number(pid), "SIGKILL");
    expect(left.length).toBe(1);
  });

  test("end when its starter is killed", async () => {
    const place = createPlace();
    const name = randomUUID();
    const [file = "", ...args] = createTestSandbox(place)(["/bin/sh", "-c", sleeper(name)], {
      cwd: place.tree,
      access: "write",
    });
    const code = "require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { detached: true })";
    const starter = spawn(process.execPath, ["-e", code, "--", file, ...args], { stdio: "ignore" });
    await until(() => existsSync(join(place.tree, "lives")));
    starter.kill("SIGKILL");
    await until(() => carriers(name).length === 0);
  });

  test("have exited when its exit is reported on a busy machine", async () => {
    const place = createPlace();
    const busy = Array.from({ length: 8 }, () => spawn("sh", ["-c", "while :; do :; done"], { stdio: "ignore" }));
    onTestFinished(() => busy.forEach((one) => one.kill("SIGKILL")));
    const left: string[] = [];
    for (let run = 0; run < 30; run += 1) {
      const name = randomUUID();
      const argv = [process.execPath, "-e", leaving(name)];
      const [file = "", ...args] = createTestSandbox(place)(argv, { cwd: place.tree, access: "write" });
      const [code] = (await once(spawn(file, args, { stdio: "ignore" }), "exit")) as [number];
      expect(code).toBe(0);
      left.push(...carriers(name));
    }
    expect(left).toEqual([]);
  });
});

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { createSandbox as createPerson, type Sandbox as Person } from "../../../support/cli.ts";
import { missing } from "../../../sandbox/sandbox-fixture.ts";

const RUN = ["Do it", "--tests", "without", "--review", "plan"];
const AS_SET = { ISDLC_SANDBOX: "" };

/** A PATH with every needed program except bubblewrap. */
function pathWithoutBubblewrap({ base }: Person): string {
  const folder = join(base, "bin");
  mkdirSync(folder);
  for (const name of ["git", "node", "sh"])
    symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(folder, name));
  return folder;
}

type CommandOutput = { readonly verb: string; readonly code: number | null; readonly text: string };

/** An agent that runs isdlc commands and reports their output. */
const ASKER = `
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
let input = "";
for await (const chunk of process.stdin) input += chunk;
const said = ["status", "history", "items", "continue"].map((verb) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [process.argv[2], verb], { encoding: "utf8" });
  return { verb, code: status, text: (stdout + stderr).slice(0, 1500) };
});
for (const path of JSON.parse(input).expects.artifacts) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "# Plan\\n");
}
console.log(JSON.stringify({ type: "result", status: "done", summary: JSON.stringify(said) }));
`;

const begin = (person: Person, args: readonly string[], env: Record<string, string>) =>
  person.start([...RUN, ...person.agent, ...args], { ...AS_SET, ...env }).ended;

const choices: readonly (readonly [string, { set?: string; env?: string; flag?: string }, boolean])[] = [
  ["uses a sandbox by default", {}, true],
  ["follows the user's setting", { set: "off" }, false],
  ["prefers ISDLC_SANDBOX to the setting", { set: "off", env: "on" }, true],
  ["prefers the option to ISDLC_SANDBOX", { set: "on", env: "on", flag: "off" }, false],
];

const suffix = missing === null ? "" : ` (skipped: ${missing})`;

describe.skipIf(missing !== null).concurrent(`--sandbox${suffix}`, () => {
  test.each(choices)("%s", async (_name, { set, env = "", flag }, expected) => {
    const person = await createPerson();
    if (set !== undefined) writeFileSync(join(person.config, "config.json"), JSON.stringify({ sandbox: set }));
    const result = await begin(person, flag === undefined ? [] : ["--sandbox", flag], { ISDLC_SANDBOX: env });
    expect(result.stderr).not.toContain("without a sandbox");
    expect(await person.status()).toMatchObject({ current: "plan", sandbox: expected, waiting: { kind: "gate" } });
    expect((await person.script("status")).stdout.includes("in a sandbox")).toBe(expected);
    expect((await person.events())[0]).toMatchObject({ type: "run.started", sandbox: expected });
  });

  test("starts without a sandbox if bubblewrap is missing, and warns once", async () => {
    const person = await createPerson();
    const result = await begin(person, [], { PATH: pathWithoutBubblewrap(person) });
    const told = result.stderr.split("\n").filter((line) => line.includes("without a sandbox"));
    expect(told).toEqual([expect.stringContaining("apt-get install bubblewrap")]);
    expect(await person.status()).toMatchObject({ sandbox: false, waiting: { kind: "gate" } });
  });

  test("refuses to start with --sandbox on if bubblewrap is missing", async () => {
    const person = await createPerson();
    const result = await begin(person, ["--sandbox", "on"], { PATH: pathWithoutBubblewrap(person) });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("SANDBOX_UNAVAILABLE");
    expect(await person.status()).toBe(null);
  });

  test("refuses to continue a sandboxed run without a sandbox", async () => {
    const person = await createPerson();
    await begin(person, [], {});
    const env = { PATH: pathWithoutBubblewrap(person), ISDLC_OPERATOR_TOKEN: person.token };
    const refused = await person.start(["continue"], env).ended;
    expect(refused.stdout).toMatch(/^Recorded\. The next step failed:\nSANDBOX_UNAVAILABLE/);
    expect((await person.events()).filter(({ type }) => type === "execution.started").length).toBe(1);
    await person.script("resume");
    expect((await person.events()).filter(({ type }) => type === "execution.started").length).toBeGreaterThan(1);
  });

  test("allows commands that only read inside the sandbox, and refuses answers", async () => {
    const person = await createPerson();
    const asker = join(person.base, "asker.mjs");
    writeFileSync(asker, ASKER);
    const command = `${process.execPath} ${asker} ${await builtProgram()}`;
    await person.start([...RUN, "--agent-command", command], AS_SET).ended;
    expect(await person.status()).toMatchObject({ sandbox: true, current: "plan", waiting: { kind: "gate" } });
    const draft = (await person.events()).find(({ type }) => type === "draft.produced");
    const said = JSON.parse(draft?.type === "draft.produced" ? draft.summary : "[]") as CommandOutput[];
    expect(said.map(({ verb, code }) => [verb, code])).toEqual([
      ["status", 0],
      ["history", 0],
      ["items", 0],
      ["continue", 1],
    ]);
    expect(said[0]?.text).toContain("change: Do it");
    expect(said.at(-1)?.text).toContain("ANSWERED_BY_AGENT");
    expect(JSON.stringify(said)).not.toMatch(/EROFS|UNEXPECTED/);
  });

  test("runs without a sandbox if the project is the home folder, with the reason", async () => {
    const person = await createPerson();
    const result = await begin(person, [], { HOME: join(person.root) });
    expect(result.stderr).toContain("which has to stay hidden");
    expect(await person.status()).toMatchObject({ sandbox: false });
  });
});

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createToken } from "../../src/adapters/identity/operator-token.ts";
import { errorCode } from "../../src/adapters/files/file-system.ts";
import { userFolders } from "../../src/adapters/files/user-folders.ts";
import { createSettingsStore } from "../../src/adapters/files/user-settings.ts";
import { currentRun } from "../../src/app/project/current-run.ts";
import { openProject } from "../../src/compose/project.ts";
import type { Run, Values } from "../../src/surfaces/cli/invocation/verb.ts";
import { shortAnswer } from "../../src/surfaces/cli/verbs/answer.ts";
import { gate } from "../../src/surfaces/cli/verbs/look.ts";
import { status } from "../../src/surfaces/cli/verbs/status.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { hastyFiles } from "../journal-file/sample-run.ts";
import { rollDice } from "../support/dice.ts";
import {
  begin,
  createRepository,
  continueRun,
  invocationFor,
  newBase,
  type TestProject,
  placeIn,
  remove,
} from "../support/instant-run.ts";

type Mutant = { readonly name: string; readonly spoil: (path: string, found: Buffer) => void };

const base = newBase();
const inCopy = placeIn(join(base, "now"));
/** The configuration folder is not copied: a rewritten token file would count as a new one. */
const place: TestProject = { ...inCopy, env: { ...inCopy.env, XDG_CONFIG_HOME: join(base, "config") } };
let settings: Buffer;
let token = "";
let run = "";
afterAll(() => remove(base));

beforeAll(async () => {
  const { config } = userFolders(place.env);
  token = createToken(config, "2026-01-01T00:00:00.000Z");
  createSettingsStore({ folder: config, project: "/project", ofRun: join(config, "run.json") }, hastyFiles).write({
    agent: "claude",
    approvals: ["terminal", "token"],
  });
  settings = readFileSync(join(config, "config.json"));
  const project = await begin(place, hastyFiles, { "no-git": true });
  await continueRun(project, createRepository());
  run = (await currentRun(project)).run ?? "";
  writeFileSync(join(place.root, ".isdlc/journal", `${run}.snap`), '{"version":"1","state":{"is":"ended"}}');
  cpSync(join(base, "now"), join(base, "template"), { recursive: true });
});

const inState = (match: RegExp) => (): string => {
  const { state } = userFolders(place.env);
  return join(state, readdirSync(state).find((name) => match.test(name)) ?? "missing");
};
const files: Readonly<Record<string, () => string>> = {
  "state.json": () => join(place.root, ".isdlc/state.json"),
  active: () => join(place.root, ".isdlc/active"),
  "the snapshot": () => join(place.root, ".isdlc/journal", `${run}.snap`),
  "the user's config.json": () => join(userFolders(place.env).config, "config.json"),
  "the tree memory": inState(/^tree-/),
  "the anchors": inState(/^[0-9a-f]{64}\.json$/),
  "the key": inState(/^key$/),
  "the approval token": () => join(userFolders(place.env).config, "operator-token.json"),
};

const put = (name: string, content: string | Buffer): Mutant => ({
  name,
  spoil: (path) => writeFileSync(path, content),
});

const mutants: readonly Mutant[] = [
  put("empty", ""),
  put("garbage", Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 37) % 256))),
  put("null", "null"),
  put("a list", "[]"),
  put("20 MB", Buffer.alloc(20 * 1024 * 1024, "[")),
  put("nested without end", `{"supervised_mode":${"[".repeat(100_000)}`),
  put("nested and closed", `${"[".repeat(100_000)}${"]".repeat(100_000)}`),
  put("a prototype", '{"__proto__":{"enabled":true,"ok":true},"constructor":{"prototype":{"enabled":true}}}'),
  put("UTF-16", Buffer.from('{"supervised_mode":{"enabled":false}}', "utf16le")),
  put("duplicate keys", '{"active_workflow":null,"active_workflow":1e400,"wait":null,"open":null,"heads":{}}'),
  { name: "gone", spoil: (path) => rmSync(path) },
  {
    name: "a folder",
    spoil(path) {
      rmSync(path);
      mkdirSync(path);
    },
  },
  {
    name: "a link",
    spoil(path) {
      rmSync(path);
      symlinkSync("/etc/passwd", path);
    },
  },
  ...sampled(),
];

function sampled(): Mutant[] {
  const dice = rollDice(20_261_115);
  const cuts = Array.from({ length: 8 }, (_, number): Mutant => {
    const roll = dice.number();
    return {
      name: `cut ${number}`,
      spoil: (path, found) => writeFileSync(path, found.subarray(0, roll % found.length)),
    };
  });
  const flips = Array.from({ length: 12 }, (_, number): Mutant => {
    const roll = dice.number();
    return {
      name: `flip ${number}`,
      spoil(path, found) {
        const at = roll % found.length;
        found[at] = (found[at] ?? 0) ^ (1 << (roll % 7));
        writeFileSync(path, found);
      },
    };
  });
  return [...cuts, ...flips];
}

/** Result like the program's: an exit code or a problem code. Any other error fails the test. */
async function call(verb: Run, name: string, values: Values): Promise<{ code: number; problem: string | null }> {
  try {
    return { code: (await verb(invocationFor(place, name, values))).code, problem: null };
  } catch (error) {
    if (error instanceof ProblemError)
      return { code: error.problem.code === "USAGE" ? 2 : 1, problem: error.problem.code };
    if (errorCode(error) !== null) return { code: 1, problem: "WRITE_FAILED" };
    throw error;
  }
}

/** Answers recorded in the journal, read with the original files. */
function answers(): readonly string[] {
  cpSync(join(base, "template/home"), join(place.base, "home"), { recursive: true, force: true });
  const { journal } = openProject(place.root, place.env, hastyFiles);
  return journal.events(run).flatMap((event) => (event.type === "gate.answered" ? [event.choice] : []));
}

function restore(): void {
  const { config } = userFolders(place.env);
  remove(join(config, "config.json"));
  writeFileSync(join(config, "config.json"), settings);
  remove(join(base, "now"));
  cpSync(join(base, "template"), join(base, "now"), { recursive: true });
}

describe.each(Object.keys(files))("damaged file: %s [R6, S12]", (name) => {
  test("crashes no command, and only the user can answer the gate, at most once", async () => {
    for (const mutant of mutants) {
      restore();
      const path = files[name]?.() ?? "";
      const found = whole.get(name) ?? readFileSync(path);
      whole.set(name, found);
      if (!existsSync(path)) writeFileSync(path, found);
      mutant.spoil(path, Buffer.from(found));
      const seen = [
        await call(status, "status", {}),
        await call(gate, "gate", {}),
        await call(shortAnswer, "continue", { "no-run": true }),
        await call(shortAnswer, "continue", { "no-run": true, token: "isdlc_guess" }),
      ];
      for (const { code } of seen) expect([0, 1, 3], mutant.name).toContain(code);
      expect(
        seen.slice(2).map(({ code }) => code),
        mutant.name,
      ).toEqual([1, 1]);
      const answered = await call(shortAnswer, "continue", { "no-run": true, token });
      rmSync(path, { recursive: true, force: true });
      expect(answers(), mutant.name).toEqual(answered.code === 0 ? ["continue"] : []);
      if (name === "the approval token") expect(answered.problem, mutant.name).toBe("TOKEN_REFUSED");
      if (TOLERATED.has(name)) expect(answered, mutant.name).toEqual({ code: 0, problem: null });
      expect(({} as Record<string, unknown>)["enabled"]).toBeUndefined();
    }
  });
});

const whole = new Map<string, Buffer>();

/** Files that only add information: damage does not keep a user from answering. */
const TOLERATED = new Set(["state.json", "active", "the snapshot", "the tree memory"]);

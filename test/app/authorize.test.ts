import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorize, identifyInitiator, type Credential } from "../../src/app/authorize/authorize.ts";
import type { Project } from "../../src/app/project/project.ts";
import { ProblemError } from "../../src/core/problem.ts";
import type { ActiveRun } from "../../src/core/run.ts";
import type { Caller } from "../../src/ports/callers.ts";
import { ADA, remove } from "../support/instant-run.ts";
import { memoryProject, type MemoryProject } from "./memory-project.ts";

const ALL: readonly Credential["is"][] = ["terminal", "prompt", "token", "page", "passkey"];
const BEFORE = "2026-01-01T00:00:00.000Z"; // The time at which the project's token is created.
const LATER = "2026-01-01T00:00:00.001Z";

let stage: MemoryProject;
beforeAll(() => {
  stage = memoryProject([]);
});
afterAll(() => remove(stage.place.base));

const credentials = (): { readonly [K in Credential["is"]]: Credential } => ({
  terminal: { is: "terminal" },
  prompt: { is: "prompt", pid: 1 },
  token: { is: "token", token: stage.token },
  page: { is: "page", name: "ada" },
  passkey: { is: "passkey", name: "ada" },
});

type Situation = {
  readonly caller?: Caller;
  readonly suspicion?: string;
  /** Contents of the user's settings file. */
  readonly settings?: unknown;
  readonly tokenChangedAt?: string;
  readonly siblings?: readonly Project[];
};

function projectIn({ caller, suspicion, settings = {}, tokenChangedAt, siblings = [] }: Situation): Project {
  const { project } = stage;
  const found: Caller = caller ?? { kind: "person", person: ADA };
  writeFileSync(project.settings.file, typeof settings === "string" ? settings : JSON.stringify(settings));
  return {
    ...project,
    callers: {
      ...project.callers,
      identify: () => found,
      identifyProcess: () => found,
      suspicion: () => suspicion ?? null,
    },
    tokens: { ...project.tokens, changedAt: () => tokenChangedAt ?? BEFORE },
    siblings: () => siblings,
  };
}

const decide = (situation: Situation, is: Credential["is"], state?: Pick<ActiveRun, "is" | "run">) =>
  authorize(projectIn(situation), credentials()[is], { verb: "answer", ...(state && { state: state as ActiveRun }) });

const refusedWith = (code: string) => ({ ok: false, problem: { code } });

describe("credential", () => {
  test.each(ALL)("is refused for an agent: %s", async (is) => {
    const agent = { kind: "agent", evidence: "a marker" } as const;
    expect(await decide({ caller: agent }, is)).toMatchObject(refusedWith("ANSWERED_BY_AGENT"));
  });

  test.each(ALL)("is refused while the settings are unreadable: %s", async (is) => {
    expect(await decide({ settings: "{" }, is)).toMatchObject(refusedWith("SETTINGS_UNREADABLE"));
  });

  test.each([
    ["not a list", "terminal"],
    ["an unknown channel", ["terminal", "telepathy"]],
  ])("is refused if approvals is %s", async (_, approvals) => {
    for (const is of ALL)
      expect(await decide({ settings: { approvals } }, is)).toMatchObject(refusedWith("SETTINGS_UNREADABLE"));
  });

  test.each(ALL)("is refused if approvals is an empty list: %s", async (is) => {
    expect(await decide({ settings: { approvals: [] } }, is)).toMatchObject(refusedWith("NEEDS_PERSON"));
  });

  test.each<[Credential["is"], readonly string[]]>([
    ["terminal", ["token", "prompt", "dashboard", "passkey"]],
    ["prompt", ["terminal", "token", "dashboard", "passkey"]],
    ["token", ["terminal", "prompt", "dashboard", "passkey"]],
    ["page", ["terminal", "prompt", "token", "passkey"]],
    ["passkey", ["terminal", "prompt", "token", "dashboard"]],
  ])("is refused if approvals lists every channel but its own: %s", async (is, approvals) => {
    const caller: Caller = { kind: "person", person: { ...ADA, channel: is === "terminal" ? "terminal" : "prompt" } };
    const code = is === "passkey" ? "NEEDS_PERSON" : "PASSKEY_NEEDED";
    expect(await decide({ caller, settings: { approvals } }, is)).toMatchObject(refusedWith(code));
  });
});

describe("terminal or typed command", () => {
  test.each(["terminal", "prompt"] as const)("is refused if an agent may have opened the terminal: %s", async (is) => {
    const caller = { kind: "suspect", why: "opened by an agent" } as const;
    expect(await decide({ caller }, is)).toMatchObject(refusedWith("TERMINAL_SUSPICIOUS"));
  });

  test("is refused in a session with a suspicious terminal", async () => {
    const caller: Caller = { kind: "person", person: { ...ADA, suspicious: "began while an agent worked" } };
    expect(await decide({ caller }, "prompt")).toMatchObject(refusedWith("TERMINAL_SUSPICIOUS"));
  });

  test.each(["terminal", "prompt"] as const)("is refused without a user at it: %s", async (is) => {
    expect(await decide({ caller: { kind: "nobody" } }, is)).toMatchObject(refusedWith("NEEDS_PERSON"));
  });
});

describe("approval token", () => {
  const open = (startedAt: string) => ({ is: "active", run: { run: "r1", startedAt } }) as unknown as ActiveRun;

  test("is accepted if token and file are older than the run", async () => {
    expect(await decideToken({}, open(LATER))).toMatchObject({ ok: true, person: { channel: "token" } });
  });

  test.each<[string, Situation, string]>([
    ["was created at the start of the run", {}, BEFORE],
    ["has a forged date and its file changed at the start", { tokenChangedAt: LATER }, LATER],
    ["has a forged date and its file changed later", { tokenChangedAt: "2026-02-01T00:00:00.000Z" }, LATER],
  ])("is refused if it %s", async (_, situation, startedAt) => {
    expect(await decideToken(situation, open(startedAt))).toMatchObject(refusedWith("TOKEN_REFUSED"));
  });

  test("is accepted with a note if its caller is suspicious", async () => {
    expect(await decide({ suspicion: "left behind" }, "token")).toMatchObject({
      ok: true,
      person: { suspicious: "left behind" },
    });
  });

  /** The memory journal has no run of this name, thus no events. */
  const decideToken = (situation: Situation, state: ActiveRun) => {
    const project = projectIn(situation);
    const journal = { ...project.journal, events: () => Promise.resolve([]) } as Project["journal"];
    return authorize({ ...project, journal }, credentials().token, { verb: "answer", state });
  };
});

describe("runs in other worktrees", () => {
  const failing = (reason: Error): Project => {
    const { project } = stage;
    const current = (): Promise<never> => Promise.reject(reason);
    return { ...project, journal: { ...project.journal, current } };
  };

  test("allow an answer despite a damaged journal", async () => {
    const problem = new ProblemError({ code: "JOURNAL_MISSING", run: "r1" } as never); // Only its class matters.
    expect(await decide({ siblings: [failing(problem)] }, "terminal")).toMatchObject({ ok: true });
  });

  test("block an answer after an unknown error", async () => {
    await expect(decide({ siblings: [failing(new Error("EIO"))] }, "terminal")).rejects.toThrow("EIO");
  });
});

test.each<[string, Caller, unknown]>([
  ["refuses an agent", { kind: "agent", evidence: "a marker" }, refusedWith("ANSWERED_BY_AGENT")],
  ["names the user", { kind: "person", person: ADA }, { ok: true, initiator: { name: "ada" } }],
  ["names a script", { kind: "nobody" }, { ok: true, initiator: { name: "script", channel: "script" } }],
])("%s when a run starts", async (_, caller, expected) => {
  expect(await identifyInitiator(projectIn({ caller }), { verb: "start" })).toMatchObject(expected as object);
});

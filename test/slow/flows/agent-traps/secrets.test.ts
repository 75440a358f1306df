import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Outcome, type Sandbox } from "../../../support/cli.ts";

const LEAKY_AGENT = join(import.meta.dirname, "leaky-agent.mjs");

/** One key is recognized by its shape, the other only because it is in the environment. */
const IN_ENVIRONMENT = "correct-horse-battery-staple-4711";
const BY_LOOK = "sk-ant-api03-dummy-0123456789abcdefghij";
const KEYS = [IN_ENVIRONMENT, BY_LOOK];
const TITLE = "The opening hours are wrong";

const agents: readonly { name: string; env: Readonly<Record<string, string>>; choice: readonly string[] }[] = [
  { name: "claude", env: { ISDLC_CLAUDE: LEAKY_AGENT }, choice: ["--agent", "claude"] },
  {
    name: "codex",
    env: { ISDLC_CODEX: LEAKY_AGENT, CODEX_LEAK_VERSION: "codex-cli 9.9.9" },
    choice: ["--agent", "codex"],
  },
  { name: "any program", env: {}, choice: ["--agent-command", `${LEAKY_AGENT} --command`] },
  { name: "acp", env: {}, choice: ["--agent", "acp", "--agent-command", `${LEAKY_AGENT} --acp`] },
];

describe.each(agents)("keys in the environment or output of $name [S11]", ({ env, choice }) => {
  const begin = async (more: Readonly<Record<string, string>>): Promise<Ran> => {
    const sandbox = await createSandbox();
    writeFileSync(join(sandbox.config, "config.json"), JSON.stringify({ "agent-variables": ["LEAK*"] }));
    const given = { SERVICE_TOKEN: IN_ENVIRONMENT, LEAK: JSON.stringify(KEYS), ISDLC_OPERATOR_TOKEN: sandbox.token };
    const start = (args: readonly string[]): Promise<Outcome> =>
      sandbox.start(args, { ...env, ...given, ...more }).ended;
    return {
      sandbox,
      start,
      begun: await start(["fix", TITLE, ...choice, "--tests", "without", "--supervised", "--yes"]),
    };
  };

  test("redacts keys in files, output and git history after a phase, review and gate", async () => {
    const { sandbox, start, begun } = await begin({});
    expect(begun).toMatchObject({ code: 3 });
    const looks = [["gate"], ["gate", "--json"], ["status"], ["history", "--all"], ["history", "--json"]];
    const shown = [begun, ...(await Promise.all(looks.map(start)))];
    expect(shown.map(({ stdout }) => stdout).join("")).toContain("[secret]");
    expectNoKeyIn(shown);
    expect(filesWith(sandbox, "The keys are [secret]").filter((file) => file.endsWith(".log"))).toHaveLength(2);
    expect(filesWith(sandbox, "Kept [secret]").length).toBeGreaterThan(1);
    expect(filesWith(sandbox, ...KEYS)).toEqual([]);
    expect(sandbox.git("log", "--all", "-p", "--format=%B")).not.toMatch(new RegExp(KEYS.join("|")));
  });

  test("redacts keys in files and output after a failure", async () => {
    const { sandbox, start, begun } = await begin({ LEAK_FAILS: "1" });
    expect(begun).toMatchObject({ code: 3 });
    const shown = [begun, await start(["status"]), await start(["history", "--all"])];
    expect(shown.map(({ stdout }) => stdout).join("")).toContain("Bad: [secret] [secret]");
    expectNoKeyIn(shown);
    expect(filesWith(sandbox, "[secret]")).not.toEqual([]);
    expect(filesWith(sandbox, ...KEYS)).toEqual([]);
  });
});

type Ran = {
  readonly sandbox: Sandbox;
  readonly start: (args: readonly string[]) => Promise<Outcome>;
  readonly begun: Outcome;
};

function expectNoKeyIn(shown: readonly Outcome[]): void {
  for (const { stdout, stderr } of shown) for (const key of KEYS) expect(`${stdout}${stderr}`).not.toContain(key);
}

/** Files that contain one of the texts: in the working tree, its repository and the user's folders. */
function filesWith({ base }: Sandbox, ...texts: readonly string[]): readonly string[] {
  const entries = readdirSync(base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map(({ parentPath, name }) => join(parentPath, name));
  return files.filter((file) => texts.some((text) => readFileSync(file).includes(text)));
}

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askAccount } from "../../src/adapters/agents/acp/account.ts";
import { opencodeAccount } from "../../src/adapters/agents/acp/opencode.ts";

const answer = (row: object): string => JSON.stringify([row], null, 2);

describe("what opencode used, from its own records", () => {
  test.each([
    ["all calls of the execution", answer({ input: 621, output: 96, usd: 0.5 }), { input: 621, output: 96, usd: 0.5 }],
    ["without prices the cost is unknown", answer({ input: 9, output: 1, usd: 0 }), { input: 9, output: 1, usd: null }],
    ["no call", answer({ input: null, output: null, usd: null }), null],
    ["calls that served nothing", answer({ input: 0, output: 0, usd: 0 }), null],
    ["figures that cannot be", answer({ input: -5, output: 1, usd: 0 }), null],
    ["another form", '{"error":"no such table"}', null],
    ["no JSON", "Error: locked", null],
  ])("%s", (_, output, expected) => {
    expect(opencodeAccount.read(output)).toEqual(expected);
  });

  test("only of this conversation, its sub-agents and this execution; no plugin is loaded for it", () => {
    const args = opencodeAccount.args({ id: "ses_1", since: 1234.5 }) ?? [];
    expect(args).toEqual(["db", expect.any(String), "--format", "json", "--pure"]);
    expect(args[1]).toContain("time_created >= 1234 ");
    expect(args[1]).toContain("id = 'ses_1' or parent_id = 'ses_1'");
  });

  test("an id that is more than an id asks nothing", () => {
    expect(opencodeAccount.args({ id: "x' or '1'='1", since: 0 })).toBeNull();
  });
});

describe("an agent that is asked afterwards", () => {
  let folder = "";
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "isdlc-account-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const asked = (script: string) => {
    const program = join(folder, "agent");
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const place = { cwd: folder, env: process.env, nonce: "n-1", access: "write", sandbox: undefined } as const;
    return askAccount(opencodeAccount, { id: "ses_1", since: 0 }, { program, ...place });
  };

  test("tells what it used", async () => {
    expect(await asked(`printf '[\\n{"input":5,"output":1,"usd":0.1}\\n]\\n'`)).toEqual({
      input: 5,
      output: 1,
      usd: 0.1,
    });
  });

  test.each(["exit 1", "echo nonsense", 'echo \'[{"input":5,"output":1,"usd":0.1}]\'; exit 3'])(
    "whose answer is %s leaves it unknown",
    async (script) => {
      expect(await asked(script)).toBeNull();
    },
  );
});

import { existsSync, mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtProgram } from "../../support/built-program.ts";
import { createSandbox, parsed, type Sandbox } from "../../support/cli.ts";
import { hasPostgres } from "./support/team-database.ts";
import { begin, installTeamPackage, said } from "./support/team.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

/** A port of this machine that stays occupied until the tests of the file end. */
async function takenPort(): Promise<number> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  afterAll(() => void other.close());
  const address = other.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe.runIf(hasPostgres)("server with its own PostgreSQL that cannot listen", () => {
  let sandbox: Sandbox;
  let data: string;
  let taken: number;
  beforeAll(async () => {
    installTeamPackage(await builtProgram());
    sandbox = await createSandbox();
    data = mkdtempSync(join(tmpdir(), "isdlc-own-database-")); // readable for the user that PostgreSQL runs as
    taken = await takenPort();
  });
  afterAll(() => removeTemporary(data));
  const serve = (...options: readonly string[]) => begin(sandbox, ["server", "--data", data, ...options], {});
  const runsDatabase = (): boolean => existsSync(join(data, "data", "postmaster.pid"));

  test.for<[string, () => string[], string, string]>([
    ["an occupied port", () => ["--port", String(taken)], "EADDRINUSE", "--port"],
    ["an address of another machine", () => ["--port", "0", "--host", "192.0.2.1"], "EADDRNOTAVAIL", "--host"],
    ["an unknown host name", () => ["--port", "0", "--host", "no-such-host.invalid"], "no-such-host", "--host"],
    ["an invalid port number", () => ["--port", "70000"], "70000", "--port"],
    ["an occupied metrics port", () => ["--port", "0", "--metrics", String(taken)], "EADDRINUSE", "--metrics"],
  ])("reports %s with the option to change, and stops its database", async ([, options, what, fix]) => {
    const ended = await serve("--json", ...options()).ended;
    expect(ended, ended.stderr).toMatchObject({ code: 1 });
    const { problem } = parsed(ended);
    expect(problem).toMatchObject({ code: "CANNOT_LISTEN", what: expect.stringContaining(what) });
    expect(problem.fix).toContain(`isdlc server ${fix}`);
    expect(runsDatabase()).toBe(false);
  });

  test("rejects invalid options before it starts a database", async () => {
    expect(await serve("--lease", "long").ended).toMatchObject({ code: 2 });
    expect(runsDatabase()).toBe(false);
  });

  test("keeps the database of a running server until the last one stops", async () => {
    const first = serve("--port", "0");
    const [, url = ""] = await said(first, /Listening at (\S+)/);
    const refused = await serve("--json", "--port", new URL(url).port).ended;
    expect(parsed(refused)).toMatchObject({ problem: { code: "CANNOT_LISTEN" } });
    const second = serve("--port", "0");
    const [, other = ""] = await said(second, /Listening at (\S+)/);
    first.child.kill("SIGTERM");
    await first.ended;
    expect(runsDatabase()).toBe(true);
    const headers = { authorization: `Bearer isdlc_person_${"A".repeat(43)}` };
    expect((await fetch(new URL("/api/runs", other), { headers })).status).toBe(401); // answered with the help of the database
    second.child.kill("SIGTERM");
    await second.ended;
    expect(runsDatabase()).toBe(false);
  });
});

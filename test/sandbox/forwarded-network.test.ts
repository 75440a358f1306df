import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import { forwardNetwork, hasOwnProxy } from "../../src/adapters/sandbox/forwarded-network.ts";
import type { Environment, Sandbox } from "../../src/adapters/process/child-environment.ts";
import { createPlace, createTestSandbox, missing, play, type SandboxFixture, suffix } from "./sandbox-fixture.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server that answers every request. */
function serve(host: string): Promise<string> {
  const server = createServer((asked, answer) => answer.end(`answered ${asked.url ?? ""}`));
  servers.push(server);
  return new Promise((resolve) =>
    server.listen(0, host, () => resolve(`http://${host}:${(server.address() as AddressInfo).port}`)),
  );
}

const place = missing === null ? createPlace() : null;
const there = (): SandboxFixture => {
  if (place === null) throw new Error("no sandbox");
  return place;
};
const forwarding = (env: Environment = {}, settings: readonly string[] = []): Sandbox =>
  createTestSandbox(there(), { command: [process.execPath], network: () => forwardNetwork(env, settings) });

/** Prints the answer to a request that follows the variables of the sandbox, as agents do. */
const asks = (...args: string[]): string => `curl --silent --show-error --max-time 20 ${args.join(" ")} 2>&1`;

describe.skipIf(missing !== null)(`forwarded network of a sandbox${suffix}`, () => {
  test.each(["", "--proxytunnel "])("reaches a named service through the proxy (curl %s)", async (option) => {
    const url = await serve("127.0.0.2");
    const { stdout } = await play(there(), asks(option, `${url}/model?a=b`), { sandbox: forwarding({ MODEL: url }) });
    expect(stdout).toBe("answered /model?a=b");
  });

  test("reaches a service of this machine at its port if a variable or a setting names it", async () => {
    const [one, other] = [await serve("127.0.0.1"), await serve("127.0.0.1")];
    there().put("home/.codex/config.toml", `base_url = "${other}/v1"\n`);
    const sandbox = forwarding({ OPENAI_BASE_URL: `${one}/v1` }, [`${there().home}/.codex/config.toml`]);
    const { stdout } = await play(there(), `${asks(`${one}/a`)}; ${asks(`${other}/b`)}`, { sandbox });
    expect(stdout).toBe("answered /aanswered /b");
  });

  test.each(["127.0.0.1", "127.0.0.2", ownAddress()])("reaches no other service of this machine (%s)", async (host) => {
    const url = await serve(host);
    const script = `${asks("--output /dev/null --write-out '%{http_code}.'", url)}; ${asks("--proxytunnel", url)}`;
    const { stdout } = await play(there(), script, { sandbox: forwarding() });
    expect(stdout).not.toContain("answered");
    expect(stdout).toMatch(host === "127.0.0.1" ? /connect/i : /403\..*403/s);
    expect((await play(there(), asks(url), { sandbox: createTestSandbox(there()) })).stdout).toContain("answered");
  });

  test("reaches no abstract unix socket", async () => {
    const name = `isdlc-${process.pid}`;
    const server = createSocketServer((connection) => connection.end("answered")).listen(`\0${name}`);
    const client = `require("node:net").connect("\\0${name}").on("error", () => 0).pipe(process.stdout)`;
    const script = `'${process.execPath}' -e '${client}'`;
    const open = await play(there(), script, { sandbox: createTestSandbox(there(), { command: [process.execPath] }) });
    const closed = await play(there(), script, { sandbox: forwarding() });
    server.close();
    expect(open.stdout).toContain("answered");
    expect(closed.stdout).not.toContain("answered");
  });

  test.each(["exit 7", "kill -TERM $$"])("reports how the program ended (%s)", async (script) => {
    const own = await play(there(), script, { sandbox: createTestSandbox(there()) });
    const { exitCode } = await play(there(), script, { sandbox: forwarding() });
    expect([exitCode, own.exitCode]).toEqual([own.exitCode, script === "exit 7" ? 7 : 143]);
  });
});

function ownAddress(): string {
  const found = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return found.find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "127.0.0.3";
}

test.each([
  [{ HTTPS_PROXY: "http://proxy.example.org" }, true],
  [{ all_proxy: "socks5://proxy.example.org" }, true],
  [{ HTTPS_PROXY: "", NO_PROXY: "example.org" }, false],
])("detects a proxy of the user in %j", (env, expected) => expect(hasOwnProxy(env)).toBe(expected));

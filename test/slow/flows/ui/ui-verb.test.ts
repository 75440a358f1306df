import { readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox, type Running, type Sandbox } from "../../../support/cli.ts";

type ServedUi = Running & { readonly text: () => string; readonly link: URL };

async function serving(sandbox: Sandbox, args: readonly string[], env: Record<string, string> = {}): Promise<ServedUi> {
  const running = sandbox.start(["ui", "--no-open", ...args], { ISDLC_OPERATOR_TOKEN: sandbox.token, ...env });
  onTestFinished(() => void running.child.kill("SIGKILL"));
  let said = "";
  const link = await new Promise<URL>((resolve, reject) => {
    running.child.stdout?.on("data", (part: Buffer) => {
      said += part.toString("utf8");
      const found = /(http:\S+)\n.*\n/.exec(said)?.[1];
      if (found !== undefined) resolve(new URL(found));
    });
    void running.ended.then(({ stdout, stderr }) => reject(new Error(`not served: ${stdout}${stderr}`)));
  });
  return { ...running, link, text: () => said };
}

test("uses the requested port, reports a taken one and otherwise picks another", async () => {
  const sandbox = await createSandbox();
  const first = await serving(sandbox, []);
  const { port } = first.link;
  const second = await serving(sandbox, []);
  expect(second.link.port).not.toBe(port);
  for (const [wish, told] of [
    [port, `Port ${port} cannot be used`],
    ["0", "--port takes a number"],
    ["70000", "--port takes a number"],
    ["http", "--port takes a number"],
  ] as const)
    expect(await sandbox.script("ui", "--no-open", "--port", wish)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(told),
    });
  second.child.kill("SIGINT");
  expect(await second.ended).toMatchObject({ stdout: expect.stringContaining("Runs in progress continue.") });
  const chosen = await serving(sandbox, ["--port", second.link.port]);
  expect(chosen.link.port).toBe(second.link.port);
});

test("prints the port forwarding command over SSH", async () => {
  const sandbox = await createSandbox();
  const { link, text } = await serving(sandbox, [], { SSH_CONNECTION: "10.0.0.1 5000 10.0.0.2 22" });
  await expect.poll(text).toContain(`ssh -L ${link.port}:localhost:${link.port} ${hostname()}`);
});

test("stores neither the link's secret nor the session in files or process lists", async () => {
  const sandbox = await createSandbox();
  expect(await sandbox.script("Add a greeting", "--supervised", ...sandbox.agent)).toMatchObject({ code: 3 });
  const { link, child } = await serving(sandbox, []);
  const secret = link.hash.slice(1);
  const answered = await fetch(`${link.origin}/api/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  const { session } = (await answered.json()) as { session: string };
  expect([secret.length, session.length]).toEqual([43, 43]);
  const files = readdirSync(sandbox.base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(10);
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  const listed = ["cmdline", "environ"].map((name) => readFileSync(`/proc/${child.pid}/${name}`, "latin1"));
  expect(listed[0]).toContain("ui");
  for (const hidden of [secret, session])
    expect([...texts, ...listed].filter((content) => content.includes(hidden))).toEqual([]);
});

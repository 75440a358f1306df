import { expect, test } from "vitest";
import { createSandbox, parsed } from "../support/cli.ts";

const strays = { "src/stray.txt": "stray", "src/app.js": "overwritten" };

async function atGateWithStrays() {
  const sandbox = await createSandbox({ files: { "src/app.js": "the person's own\n" } });
  sandbox.plan({ turns: { "00-quick-scan": [{ writes: strays }] } });
  const started = await sandbox.script("feature", "Log in", "--supervised", "--tests", "without", ...sandbox.agent);
  expect(started.code).toBe(3);
  return sandbox;
}

test.concurrent("lists files outside the phase's scope and saves reverted ones under a ref", async () => {
  const sandbox = await atGateWithStrays();
  expect(await sandbox.status()).toMatchObject({
    waiting: { options: ["continue", "review", "redo", "revert"] },
  });
  const reverted = await sandbox.person("answer", "revert");
  expect(reverted.code).toBe(3);
  const told = /Put back[^]*- src\/app\.js\n {2}- src\/stray\.txt\n.* git show ([0-9a-f]{12}):/.exec(reverted.stderr);
  expect(sandbox.read("src/app.js")).toBe("the person's own\n");
  expect(() => sandbox.read("src/stray.txt")).toThrow("ENOENT");
  expect(await sandbox.status()).toMatchObject({ waiting: { options: ["continue", "review", "redo"] } });
  const refs = sandbox.git("for-each-ref", "--format=%(refname)", "refs/isdlc").split("\n");
  const kept = refs.find((ref) => /00-quick-scan-1-reverted-[0-9]+-before$/.test(ref)) ?? "";
  expect(sandbox.git("show", `${kept}:src/stray.txt`)).toBe("stray");
  expect(sandbox.git("show", `${told?.[1]}:src/app.js`)).toBe("overwritten");
  expect((await sandbox.person("gate")).stdout).not.toContain("Unexpected");
  expect((await sandbox.person("continue")).code).toBe(3);
  expect(await sandbox.status()).toMatchObject({ current: "01-requirements" });
});

test.concurrent("refuses revert without a user or a file, even by its former name", async () => {
  const sandbox = await atGateWithStrays();
  expect(await sandbox.script("answer", "take-out")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("NEEDS_PERSON"),
  });
  expect(sandbox.read("src/stray.txt")).toBe("stray");
  await sandbox.person("answer", "take-out");
  const again = parsed(await sandbox.person("answer", "take-out", "--json"));
  expect(again).toMatchObject({ ok: false, problem: { code: "COMMAND_REFUSED" } });
});

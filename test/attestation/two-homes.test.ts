import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parsed } from "../support/cli.ts";
import { createSigner, createVerifier, finishedRun } from "./two-homes.ts";

test.concurrent("verifies a run signed here in another clone with another home", async () => {
  const ada = await createSigner();
  const remote = await finishedRun(ada, "keep");
  const ben = await createVerifier(ada, remote);
  ben.git("fetch", "--quiet", "origin", "refs/notes/isdlc:refs/notes/isdlc");

  const stranger = await ben.isdlc("verify", "origin/change/add-a-greeting", "--json");
  expect(stranger.code).toBe(1);
  expect(parsed(stranger).refused[0].why).toContain("the owner of the key");

  ben.trust(ada.signerLine("ada@example.org"));
  const verified = await ben.isdlc(
    "verify",
    "origin/main..origin/change/add-a-greeting",
    "--signers",
    ben.signers,
    "--json",
  );
  expect(verified).toMatchObject({ code: 0, stderr: "" });
  expect(parsed(verified)).toMatchObject({
    ok: true,
    commits: [{ by: "state", subject: "Implementation: add a greeting" }],
    statements: [{ signers: [{ signer: "ada@example.org" }], statement: { predicate: { finish: "keep" } } }],
  });
  expect(existsSync(join(ben.root, ".isdlc"))).toBe(false);
});

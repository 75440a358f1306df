import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sandboxAvailable } from "../../src/adapters/sandbox/sandbox-available.ts";
import { missing } from "./sandbox-fixture.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const base = mkdtempSync(join(tmpdir(), "isdlc-available-"));
afterAll(() => removeTemporary(base));

/** A folder with a bwrap that is a script. */
function folderWith(name: string, script: string): string {
  const folder = mkdtempSync(join(base, `${name}-`));
  writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "bwrap"), 0o755);
  return folder;
}

function accessible(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false; // not root, or a system that keeps it closed
  }
}

describe.skipIf(process.platform !== "linux")("whether there is a sandbox", () => {
  test.skipIf(missing !== null)("there is, with its version and place", () => {
    const found = sandboxAvailable(process.env);
    expect(found).toEqual({
      ok: true,
      version: expect.stringMatching(/^\d+\.\d+/),
      bwrap: expect.stringMatching(/bwrap$/),
    });
  });

  test("not installed: what installs it", () => {
    expect(sandboxAvailable({ PATH: base })).toEqual({
      ok: false,
      why: "bubblewrap is not installed",
      fix: "apt-get install bubblewrap",
    });
  });

  test("installed, but it may not: its own words, and what to change", () => {
    const PATH = folderWith("denied", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1");
    const found = sandboxAvailable({ PATH });
    expect(found).toMatchObject({ ok: false, why: expect.stringContaining("setting up uid map: Permission denied") });
    expect(!found.ok && found.fix).toMatch(/sysctl -w|namespaces/);
  });

  const isKernelOpen = accessible("/proc/sys/kernel/core_pattern");
  test.skipIf(!isKernelOpen)("one that leaves the kernel's settings to root is not used", () => {
    const PATH = `${folderWith("open", 'while test "$1" != --; do shift || exit 0; done; shift; exec "$@"')}:/usr/bin:/bin`;
    expect(sandboxAvailable({ PATH })).toMatchObject({
      ok: false,
      why: expect.stringContaining("/proc/sys/kernel/core_pattern can be written inside"),
    });
  });

  test("one that hangs is given up", { timeout: 30_000 }, () => {
    const PATH = folderWith("hangs", 'test "$1" = --version || exec /bin/sleep 60');
    expect(sandboxAvailable({ PATH })).toMatchObject({ ok: false });
  });

  test("it is asked once", () => {
    const PATH = folderWith("counted", `echo x >>${base}/count; exit 1`);
    expect([sandboxAvailable({ PATH }), sandboxAvailable({ PATH })].map(({ ok }) => ok)).toEqual([false, false]);
    rmSync(join(PATH, "bwrap"));
    writeFileSync(join(PATH, "bwrap"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expect(sandboxAvailable({ PATH }).ok).toBe(false);
  });

  test("in CI it must be there", () => {
    expect(process.env["CI"] !== "true" || sandboxAvailable(process.env).ok).toBe(true);
  });
});

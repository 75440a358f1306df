import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sandboxAvailable } from "../../src/adapters/sandbox/sandbox-available.ts";
import { missing } from "./sandbox-fixture.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const base = mkdtempSync(join(tmpdir(), "isdlc-available-"));
afterAll(() => removeTemporary(base));

/** A folder with a script as bwrap. */
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
    return false; // Without root, or on a system that protects it.
  }
}

describe.skipIf(process.platform !== "linux")("sandboxAvailable", () => {
  test.skipIf(missing !== null)("returns version and path", () => {
    const found = sandboxAvailable(process.env);
    expect(found).toEqual({
      ok: true,
      version: expect.stringMatching(/^\d+\.\d+/),
      bwrap: expect.stringMatching(/bwrap$/),
    });
  });

  test("returns the installation command if bubblewrap is missing", () => {
    expect(sandboxAvailable({ PATH: base })).toEqual({
      ok: false,
      why: "bubblewrap is not installed",
      fix: "apt-get install bubblewrap",
    });
  });

  test("returns the error and a fix if namespaces are denied", () => {
    const PATH = folderWith("denied", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1");
    const found = sandboxAvailable({ PATH });
    expect(found).toMatchObject({ ok: false, why: expect.stringContaining("setting up uid map: Permission denied") });
    expect(!found.ok && found.fix).toMatch(/sysctl -w|namespaces/);
  });

  const isKernelOpen = accessible("/proc/sys/kernel/core_pattern");
  test.skipIf(!isKernelOpen)("rejects a sandbox with writable kernel settings", () => {
    const PATH = `${folderWith("open", 'while test "$1" != --; do shift || exit 0; done; shift; exec "$@"')}:/usr/bin:/bin`;
    expect(sandboxAvailable({ PATH })).toMatchObject({
      ok: false,
      why: expect.stringContaining("/proc/sys/kernel/core_pattern can be written inside"),
    });
  });

  test("gives up if bubblewrap hangs", { timeout: 30_000 }, () => {
    const PATH = folderWith("hangs", 'test "$1" = --version || exec /bin/sleep 60');
    expect(sandboxAvailable({ PATH })).toMatchObject({ ok: false });
  });

  test("caches its result", () => {
    const PATH = folderWith("counted", `echo x >>${base}/count; exit 1`);
    expect([sandboxAvailable({ PATH }), sandboxAvailable({ PATH })].map(({ ok }) => ok)).toEqual([false, false]);
    rmSync(join(PATH, "bwrap"));
    writeFileSync(join(PATH, "bwrap"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expect(sandboxAvailable({ PATH }).ok).toBe(false);
  });

  test("succeeds in CI", () => {
    expect(process.env["CI"] !== "true" || sandboxAvailable(process.env).ok).toBe(true);
  });
});

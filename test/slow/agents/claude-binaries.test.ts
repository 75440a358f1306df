import { readdirSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { CACHE, agentBinary, claudePackage } from "../../support/agent-binaries.ts";

/** A version that does not exist. Without a network, npm fails at once. */
const absent = claudePackage("0.0.0-absent");

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("prints the install command of a missing agent on a user's machine", async () => {
  vi.stubEnv("CI", "");
  vi.stubEnv("npm_config_offline", "true");
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const binary = await agentBinary(absent);
  expect(binary).toMatchObject({
    ok: false,
    command: expect.stringMatching(/^npm install .*@0\.0\.0-absent$/) as string,
  });
  expect(warned).toHaveBeenCalledWith(expect.stringContaining("SKIPPED"));
  expect(readdirSync(CACHE).filter((name) => name.includes("absent"))).toEqual([]);
});

test("fails in CI if an agent is missing", async () => {
  vi.stubEnv("CI", "true");
  vi.stubEnv("npm_config_offline", "true");
  await expect(agentBinary(absent)).rejects.toThrow("could not be installed");
});

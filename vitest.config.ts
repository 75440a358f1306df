import { defineConfig } from "vitest/config";

const PROGRAM = "test/support/program-folder.ts";

/** Suites by what they cost: `fast` runs on every edit, the others in CI and on request. */
const suite = (name: string, include: string[], minutes: number) => ({
  test: {
    name,
    include,
    globalSetup: [PROGRAM],
    env: { TZ: "UTC" },
    testTimeout: minutes * 60_000,
    hookTimeout: minutes * 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});

/** What all tests of a suite need, started once before the first. */
const withSetup = ({ test }: ReturnType<typeof suite>, setup: string) => ({
  test: { ...test, globalSetup: [...test.globalSetup, setup] },
});

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "fast",
          globalSetup: [PROGRAM],
          env: { TZ: "UTC" },
          include: ["test/**/*.test.ts"],
          exclude: ["test/slow/**"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      suite("crash", ["test/slow/crash/**/*.test.ts"], 15),
      suite("flows", ["test/slow/flows/**/*.test.ts"], 5),
      suite("rogue", ["test/slow/rogue/**/*.test.ts"], 15),
      suite("agents", ["test/slow/agents/**/*.test.ts"], 15),
      suite("guest", ["test/slow/guest/**/*.test.ts"], 10),
      suite("browser", ["test/slow/browser/**/*.test.ts"], 10),
      suite("terminal", ["test/slow/terminal/**/*.test.ts"], 10),
      withSetup(suite("team", ["test/slow/team/**/*.test.ts"], 10), "test/slow/team/support/start-postgres.ts"),
    ],
  },
});

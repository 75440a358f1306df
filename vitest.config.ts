import { defineConfig } from "vitest/config";

const PROGRAM = "test/support/program-folder.ts";

/** Suites by what they cost: those called `fast` run on every edit, the others in CI and on request. */
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

/** Areas whose tests leave nothing behind in their process: one process has many of their files, and reads the code once. */
const TOGETHER =
  "core,engine,findings,items,journals,library,overlays,sizing,spec,supervision,user-files,views,workflows";
const together = [`test/{${TOGETHER}}/**/*.test.ts`];

const fast = suite("fast", ["test/**/*.test.ts"], 4);

/** What all tests of a suite need, started once before the first. */
const withSetup = ({ test }: ReturnType<typeof suite>, setup: string) => ({
  test: { ...test, globalSetup: [...test.globalSetup, setup] },
});

export default defineConfig({
  test: {
    projects: [
      { test: { ...fast.test, exclude: ["test/slow/**", ...together] } },
      { test: { ...suite("fast-together", together, 4).test, isolate: false } },
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

// Bugs in the steps of the engine, and in the application that starts, answers and drives runs.
const CHECKS = "src/engine/steps/checks.ts";
const SHOWN = "src/engine/shown-changes.ts";
const LIMITS = "src/engine/steps/run-agent.ts";
const AUTHORIZE = "src/app/authorize/authorize.ts";
const recheck = "test/engine/recheck.test.ts";
const shown = "test/engine/shown-changes.test.ts";
const limits = "test/engine/execution-limits.test.ts";
const authorize = "test/app/authorize.test.ts";

export const mutantsOfEngine = [
  {
    bug: "a chosen test command stays trusted after a change of a file it names",
    file: "src/adapters/checks/detect-tests.ts",
    find: "words.filter(isFile(files))",
    put: "words.filter(() => false)",
    test: "test/checks/detect-tests.test.ts",
  },
  {
    bug: "tests that could not be run after Continue count as no failure",
    file: CHECKS,
    find: 'result.name === "tests" && result.ok === null ? { ...result, ok: false } : result',
    put: "result",
    test: recheck,
  },
  {
    bug: "the digest after Continue leaves out what failed",
    file: CHECKS,
    find: "beside, failed: failureDigest(results) }",
    put: "beside }",
    test: recheck,
  },
  {
    bug: "the digest after Continue leaves out the tree",
    file: CHECKS,
    find: "{ tree, beside, failed",
    put: "{ beside, failed",
    test: recheck,
  },
  {
    bug: "code edited at the gate of a phase without tests is not tested",
    file: CHECKS,
    find: "edited.some(({ path }) => !path.startsWith(`${run.item}/`))",
    put: "edited.some(({ path }) => path.startsWith(`${run.item}/`))",
    test: recheck,
  },
  {
    bug: "a missing snapshot of the gate counts as no edit",
    file: CHECKS,
    find: 'throw snapshotGone("the gate")',
    put: "return []",
    test: recheck,
  },
  {
    bug: "files edited at the gate are not shown after Continue",
    file: CHECKS,
    find: "[...unseen(edited ?? [], moved), ...checked",
    put: "[...checked",
    test: recheck,
  },
  {
    bug: "the changes since the last review are those since the last accepted gate",
    file: SHOWN,
    find: "lastReviewedTree(run), made.tree",
    put: "lastAcceptedTree(run).tree, made.tree",
    test: shown,
  },
  {
    bug: "the last gate shows only the changes of the last phase",
    file: SHOWN,
    find: "isLastPhase(run) ? runBegan(run) : lastAcceptedTree(run)",
    put: "lastAcceptedTree(run)",
    test: shown,
  },
  {
    bug: "the last gate hides files that are not committed",
    file: SHOWN,
    find: 'rest.length === 0 ? "" : workspace.patch(from, to, rest)',
    put: '""',
    test: shown,
  },
  {
    bug: "an agent may be silent for sixty times as long",
    file: LIMITS,
    find: "phase.rule.minutes * 120",
    put: "phase.rule.minutes * 7200",
    test: limits,
  },
  {
    bug: "a limit longer than a timer can wait ends the execution at once",
    file: LIMITS,
    find: "Math.min(timeLimitMinutes(executed) * MINUTE_MS, MAX_TIMER_MS)",
    put: "timeLimitMinutes(executed) * MINUTE",
    test: limits,
  },
  {
    bug: "an execution that took too long is tried again",
    file: LIMITS,
    find: 'reason: "timeout", detail, again: false',
    put: 'reason: "timeout", detail, again: true',
    test: limits,
  },
  {
    bug: "the next request to a busy model service is immediate",
    file: LIMITS,
    find: "Math.min(stage.work.broken, BACKOFF.length) - 1",
    put: "Math.min(stage.work.broken, BACKOFF.length)",
    test: limits,
  },
  {
    bug: "invalid approvals are taken for none, and every channel may answer",
    file: AUTHORIZE,
    find: 'found === null || bad.includes("approvals")',
    put: "found === null",
    test: authorize,
  },
  {
    bug: "unreadable settings are taken for none, and every channel may answer",
    file: AUTHORIZE,
    find: 'found === null || bad.includes("approvals")',
    put: 'bad.includes("approvals")',
    test: authorize,
  },
  {
    bug: "a token with a forged date answers the run in which it was made",
    file: AUTHORIZE,
    find: '[checked.createdAt, tokens.changedAt() ?? ""]',
    put: "[checked.createdAt]",
    test: authorize,
  },
  {
    bug: "a token made at the very start of the run answers it",
    file: AUTHORIZE,
    find: "time >= state.run.startedAt",
    put: "time > state.run.startedAt",
    test: authorize,
  },
  {
    bug: "a suspicious terminal answers through a session",
    file: AUTHORIZE,
    find: "return person.suspicious === undefined",
    put: "return person.name !== undefined",
    test: authorize,
  },
  {
    bug: "an agent answers with the token",
    file: AUTHORIZE,
    find: 'const { callers, tokens } = project;\n    const caller = callers.identify(work);\n    if (caller.kind === "agent")',
    put: 'const { callers, tokens } = project;\n    const caller = callers.identify(work);\n    if (caller.kind === "agent" && token === "")',
    test: authorize,
  },
  {
    bug: "a secret of exactly eight characters is shown",
    file: "src/core/redact.ts",
    find: "lines.filter((value) => value.length >= SHORTEST_SECRET)",
    put: "lines.filter((value) => value.length > SHORTEST_SECRET)",
    test: "test/core/redact.test.ts",
  },
  {
    bug: "a folder with the same first letters counts as within the other",
    file: "src/adapters/sandbox/bounds.ts",
    find: "`${folder}/`",
    put: "folder",
    test: "test/sandbox/is-within.test.ts",
  },
  {
    bug: "refused guesses of tokens are forgotten a thousand times too early",
    file: "team/src/people/refused-tokens.ts",
    find: "FORGOTTEN_AFTER * 1000",
    put: "FORGOTTEN_AFTER",
    test: "test/team/refused-tokens.test.ts",
  },
  {
    bug: "one more guess than the limit is let through",
    file: "team/src/people/refused-tokens.ts",
    find: "refused < MAX_REFUSED",
    put: "refused <= MAX_REFUSED",
    test: "test/team/refused-tokens.test.ts",
  },
  {
    bug: "an error in the run of another working tree counts as no agent there",
    file: "src/app/authorize/agent-work.ts",
    find: "    throw error;",
    put: "    return noRun;",
    test: authorize,
  },
  {
    bug: "the proxy of a sandbox reaches services of this machine",
    file: "src/adapters/sandbox/forwarded-network.ts",
    find: 'isOpen || !own.check(address, isIPv6(address) ? "ipv6" : "ipv4")',
    put: "true",
    test: "test/sandbox/forwarded-network.test.ts",
  },
];

import { describe, expect, test } from "vitest";
import type { ExecutionId } from "../../src/schema/ids.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { isHostFailure } from "../../team/src/copies/host-failure.ts";
import { findWorkerFault, refuseFaultReport, WorkerFaultError } from "../../team/src/worker/worker-fault.ts";

describe("output of git", () => {
  test.each([
    "fatal: unable to access 'https://git.example.org/': Could not resolve host: git.example.org",
    "fatal: unable to connect to git.example.org: git.example.org[0: 10.0.0.1]: errno=Connection refused",
    "ssh: connect to host git.example.org port 22: Connection timed out\nfatal: Could not read from remote repository.",
    "fatal: the remote end hung up unexpectedly",
    "fatal: early EOF",
    "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502",
    "fatal: unable to access 'https://git.example.org/': The requested URL returned error: 503",
    "remote: fatal: unable to write: Read-only file system\n! [remote rejected] main -> main (pre-receive hook declined)",
    "error: remote unpack failed: unable to create temporary object directory",
    "remote: error: file write error: No space left on device",
    "no answer within 900 s",
  ])("is a temporary failure of the host: %s", (output) => {
    expect(isHostFailure(output)).toBe(true);
  });

  test.each([
    "remote: Invalid username or password.\nfatal: Authentication failed for 'https://git.example.org/'",
    "git@git.example.org: Permission denied (publickey).\nfatal: Could not read from remote repository.",
    "fatal: could not read Username for 'https://git.example.org': terminal prompts disabled",
    "ERROR: Repository not found.\nfatal: Could not read from remote repository.",
    "remote: error: GH006: Protected branch update failed for refs/heads/main.\n! [remote rejected] (protected branch hook declined)",
    "! [rejected] main -> main (stale info)",
    "fatal: bad object 1111",
    "error: file write error: No space left on device",
  ])("is not a failure of the host: %s", (output) => {
    expect(isHostFailure(output)).toBe(false);
  });
});

describe("error of a drive", () => {
  test.each([
    [new Error("ENOSPC: no space left on device, write")],
    [new ProblemError({ code: "GIT_FAILED", command: "fetch", detail: "fatal: write error: No space left on device" })],
    [new ProblemError({ code: "GIT_UNAVAILABLE", detail: "spawn git ENOENT" })],
  ])("is a fault of the worker's machine: %s", (error) => {
    expect(findWorkerFault(error)).not.toBeNull();
  });

  test.each([
    [new Error("unexpected")],
    [
      new ProblemError({
        code: "GIT_FAILED",
        command: "push",
        detail: "remote: No space left on device\nfatal: sorry",
      }),
    ],
  ])("is not a fault of the machine: %s", (error) => {
    expect(findWorkerFault(error)).toBeNull();
  });

  /** A machine whose checks find this fault. */
  const machine = (fault: string | null) => {
    let found: string | null = null;
    return { check: () => Promise.resolve(void (found = fault)), fault: () => found };
  };

  test("is not recorded as a step's outcome if it is a fault of the machine", async () => {
    const report = (detail: string) =>
      ({ do: "report", ticket: "t", outcome: { of: "commit", failed: "git_failed", detail } }) as const;
    const full = refuseFaultReport(report("fatal: No space left on device"), machine(null));
    await expect(full).rejects.toThrow(WorkerFaultError);
    await expect(refuseFaultReport(report("conflict"), machine(null))).resolves.toBeUndefined();
    await expect(refuseFaultReport(report("conflict"), machine("disk full"))).rejects.toThrow(WorkerFaultError);
  });

  test("is found after the failure of an agent by the checks of the machine, not by the agent's text", async () => {
    const outcome = { of: "broken", reason: "bad_exit", detail: "No space left on device", again: true } as const;
    const facts = { execution: "e1" as ExecutionId, usage: null, session: null, retries: 0 };
    const report = { do: "report", ticket: "t", outcome: { ...outcome, ...facts } } as const;
    await expect(refuseFaultReport(report, machine(null))).resolves.toBeUndefined();
    await expect(refuseFaultReport(report, machine("disk full"))).rejects.toThrow(WorkerFaultError);
  });
});

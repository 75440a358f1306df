import { expect, test } from "vitest";
import type { ServerClient } from "../../src/adapters/remote/server-client.ts";
import type { RunId } from "../../src/schema/ids.ts";
import { createLog } from "../../team/src/structured-log.ts";
import { beat } from "../../team/src/worker/beat.ts";
import type { Worker } from "../../team/src/worker/drive-run.ts";

const run = "20261116-101112345-abcd" as RunId;
const log = createLog({ name: "test", write: () => undefined, secrets: [] });
const health = {
  fault: () => null,
  note: () => undefined,
  check: () => Promise.resolve(),
  recheck: () => Promise.resolve(),
};

type Told = {
  readonly heard: (number | null)[];
  readonly drive: { epoch: number; journal: never; hostError: string | null };
};

function driveWith(epoch: number): Told {
  const heard: (number | null)[] = [];
  return {
    heard,
    drive: { epoch, journal: { hear: (seq: number | null) => heard.push(seq) } as never, hostError: null },
  };
}

/** A server that answers with its state at the request, and then lets another action happen. */
const answering =
  (held: readonly { run: RunId; epoch: number; seq: number }[], meanwhile: () => void): ServerClient =>
  async ({ answer }) => {
    const said = answer.parse({ held });
    await Promise.resolve();
    meanwhile();
    return said;
  };

test("reports to a drive its run's position, or that another worker has the run", async () => {
  const mine = driveWith(7);
  const driving: Worker["driving"] = new Map([[run, mine.drive]]);
  await beat({ ask: answering([{ run, epoch: 7, seq: 12 }], () => undefined), driving, health, log }, "one");
  await beat({ ask: answering([{ run, epoch: 8, seq: 12 }], () => undefined), driving, health, log }, "one");
  await beat({ ask: answering([], () => undefined), driving, health, log }, "one");
  expect(mine.heard).toEqual([12, null, null]);
});

test("reports no outdated state to a drive started during the request", async () => {
  const [before, since] = [driveWith(5), driveWith(7)];
  const driving: Worker["driving"] = new Map([[run, before.drive]]);
  const ask = answering([{ run, epoch: 6, seq: 12 }], () => driving.set(run, since.drive));
  await beat({ ask, driving, health, log }, "one");
  expect(before.heard).toEqual([null]);
  expect(since.heard).toEqual([]);
});

test("reports the drives that wait for the git host", async () => {
  const [waiting, working] = [driveWith(5), driveWith(7)];
  const other = "20261116-101112346-abcd" as RunId;
  const driving: Worker["driving"] = new Map([
    [run, { ...waiting.drive, hostError: "Read-only file system" }],
    [other, working.drive],
  ]);
  const sent: unknown[] = [];
  const ask: ServerClient = ({ body, answer }) => {
    sent.push(body);
    return Promise.resolve(answer.parse({ held: [] }));
  };
  await beat({ ask, driving, health, log }, "one");
  expect(sent).toMatchObject([{ runs: [run, other], waiting: [{ run, epoch: 5, error: "Read-only file system" }] }]);
});

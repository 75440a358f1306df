import { expect, test } from "vitest";
import { createTurns } from "../../team/src/worker/turns.ts";

/** Work that continues until it is ended. */
function work() {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  let isBegun = false;
  const begin = (): Promise<void> => {
    isBegun = true;
    return promise;
  };
  return { begin, isBegun: () => isBegun, end };
}

test("lets shared work run concurrently and exclusive work wait for it", async () => {
  const turns = createTurns();
  const [one, other, lone] = [work(), work(), work()];
  const both = [turns.among(one.begin), turns.among(other.begin)];
  expect([one.isBegun(), other.isBegun()]).toEqual([true, true]);
  one.end();
  await both[0];
  await turns.alone(lone.begin);
  expect(lone.isBegun()).toBe(false);
  other.end();
  await both[1];
  const alone = turns.alone(lone.begin);
  expect(lone.isBegun()).toBe(true);
  lone.end();
  await alone;
});

test("lets shared work wait for exclusive work, even if that fails", async () => {
  const turns = createTurns();
  const order: string[] = [];
  const lone = work();
  const alone = turns.alone(async () => {
    await lone.begin();
    order.push("alone");
    throw new Error("failed");
  });
  const among = turns.among(() => Promise.resolve(order.push("among")));
  lone.end();
  await expect(alone).rejects.toThrow("failed");
  await among;
  expect(order).toEqual(["alone", "among"]);
});

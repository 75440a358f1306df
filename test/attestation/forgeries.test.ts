import { describe, expect, test } from "vitest";
import { forgeries, studio } from "./forgeries.ts";

const { statement } = studio;
const [, second] = studio.made;

test("the true statement is believed, so that a refusal below means something", async () => {
  studio.note("true", await studio.sign(statement), second.commit);
  const { commits, refused } = await studio.verify("true");
  expect(commits.map(({ coverage }) => coverage.by)).toEqual(["commit", "commit"]);
  expect(refused).toEqual([]);
});

describe("a forged statement covers nothing, and the reason is told:", () => {
  test("there are more than 30 of them", () => {
    expect(new Set(forgeries.map(({ name }) => name)).size).toBe(forgeries.length);
    expect(forgeries.length).toBeGreaterThan(30);
  });

  test.for(forgeries.map((forgery, index) => ({ ...forgery, ref: `forgery-${index}` })))(
    "$name",
    async ({ line, why, signers, ref }) => {
      studio.note(ref, await line(), second.commit);
      const found = await studio.verify(ref, signers === undefined ? {} : { signers: signers() });
      expect(found.statements).toEqual([]);
      expect(found.commits.map(({ coverage }) => coverage.by)).toEqual([null, null]);
      expect(found.refused.map((refused) => refused.why).join("\n")).toMatch(why);
      expect(found.commits[1]?.coverage).toMatchObject({ why: "refused", detail: expect.stringMatching(why) });
    },
  );
});

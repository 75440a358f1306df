import { afterAll, describe, expect, test } from "vitest";
import type { Outcome, Rogue } from "./rogue.ts";
import { callers } from "./rows/callers.ts";
import { files } from "./rows/files.ts";
import { createStage } from "./stage.ts";

const rogues: readonly Rogue[] = [...files, ...callers];

describe.concurrent("rogues", () => {
  test.each(rogues.map((rogue) => [`${rogue.number}. ${rogue.does}`, rogue] as const))("%s", async (_, rogue) => {
    const stage = await createStage();
    try {
      expect(await rogue.play(stage)).toBe(rogue.plain);
    } finally {
      stage.close();
    }
  });
});

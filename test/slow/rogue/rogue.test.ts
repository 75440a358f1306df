import { afterAll, describe, expect, test } from "vitest";
import type { Outcome, Rogue } from "./rogue.ts";
import { callers } from "./rows/callers.ts";
import { children } from "./rows/children.ts";
import { files } from "./rows/files.ts";
import { git } from "./rows/git.ts";
import { journal } from "./rows/journal.ts";
import { secrets } from "./rows/secrets.ts";
import { talk } from "./rows/talk.ts";
import { work } from "./rows/work.ts";
import { createStage } from "./stage.ts";

const rogues: readonly Rogue[] = [...files, ...callers, ...journal, ...work, ...talk, ...children, ...secrets, ...git];

describe.concurrent("rogues", () => {
  test.each(rogues.map((rogue) => [`${rogue.number}. ${rogue.does}`, rogue] as const))("%s", async (_, rogue) => {
    const stage = await createStage();
    try {
      expect(await rogue.play(stage)).toBe(rogue.plain);
    } catch (error) {
      console.log(rogue.does, JSON.stringify(stage.evidence(), null, 1).slice(0, 6000));
      throw error;
    } finally {
      stage.close();
    }
  });
});

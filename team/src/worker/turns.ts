export type Turns = {
  /** Runs concurrently with other `among` work, after any `alone` work. */
  among<T>(work: () => Promise<T>): Promise<T>;
  /** Runs exclusively. Skipped if other work is running, which may take hours. */
  alone(work: () => Promise<void>): Promise<void>;
};

export function createTurns(): Turns {
  let others = 0;
  let alone: Promise<void> | null = null;
  return {
    async among(work) {
      for (let before = alone; before !== null; before = alone) await before;
      others++;
      try {
        return await work();
      } finally {
        others--;
      }
    },
    async alone(work) {
      if (others > 0 || alone !== null) return;
      const done = work();
      const leave = (): void => void (alone = null);
      alone = done.then(leave, leave);
      await done;
    },
  };
}

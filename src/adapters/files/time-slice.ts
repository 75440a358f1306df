/** Time limit for synchronous work. */
export type TimeSlice = {
  isOver(): boolean;
  /** Lets other work run, then starts the next slice. */
  next(): Promise<void>;
};

const SLICE_MILLISECONDS = 10;

/**
 * Creates a time slice for work on many files: a synchronous call costs a third of one in the thread pool, but
 * thousands in a row would block everything else.
 */
export function createTimeSlice(): TimeSlice {
  let began = performance.now();
  return {
    isOver: () => performance.now() - began >= SLICE_MILLISECONDS,
    async next() {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    },
  };
}

/** How long synchronous work has gone on. */
export type TimeSlice = {
  isOver(): boolean;
  /** Lets everybody else have a turn, and begins another one. */
  next(): Promise<void>;
};

const SLICE_MILLISECONDS = 10;

/**
 * For work on many files: a synchronous call costs a third of one that goes through the thread pool, but thousands of
 * them in a row would keep everything else waiting.
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

export interface SilenceWatch {
  heard(): void;
  dispose(): void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls back once after a silence of this length. Uses monotonic time, which ignores clock changes. */
export function createSilenceWatch(seconds: number, onSilence: () => void): SilenceWatch {
  const limit = seconds * 1000;
  let last = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const arm = (wait: number): void => {
    timer = setTimeout(look, Math.min(Math.max(wait, 1), MAX_TIMER_MS));
  };
  const look = (): void => {
    const left = limit - (performance.now() - last);
    if (left <= 0) onSilence();
    else arm(left);
  };
  arm(limit);
  return {
    heard: () => {
      last = performance.now();
    },
    dispose: () => clearTimeout(timer),
  };
}

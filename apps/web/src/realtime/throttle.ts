interface Throttled {
  (): void;
  /** Forgets a call that waits. */
  cancel: () => void;
}

/**
 * Returns a function that calls `work` now, but at most once in `interval` milliseconds; calls in
 * between cause one at its end.
 */
export function throttle(work: () => void, interval: number): Throttled {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  function run() {
    isAsked = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isAsked) run();
    }, interval);
    work();
  }
  const throttled = () => {
    if (timer === undefined) run();
    else isAsked = true;
  };
  return Object.assign(throttled, { cancel: () => (isAsked = false) });
}

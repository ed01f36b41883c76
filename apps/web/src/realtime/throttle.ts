/** Returns a function that calls `work` now, but at most once in `interval` milliseconds; calls in between cause one at its end. */
export function throttle(work: () => void, interval: number): () => void {
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
  return () => {
    if (timer === undefined) run();
    else isAsked = true;
  };
}

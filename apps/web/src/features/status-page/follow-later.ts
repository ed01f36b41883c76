import type { Follow } from './event-stream';

/** Follows in a way that is chosen asynchronously. */
export function followLater(choose: () => Promise<Follow>): Follow {
  return (...args) => {
    let stop: (() => void) | undefined;
    let stopped = false;
    void choose().then((follow) => {
      if (!stopped) stop = follow(...args);
    });
    return () => {
      stopped = true;
      stop?.();
    };
  };
}

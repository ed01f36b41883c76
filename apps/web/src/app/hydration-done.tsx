import { useEffect } from 'react';

/** Notifies build/after-paint.js that React handles clicks from now on. */
export function HydrationDone() {
  useEffect(() => {
    window.dispatchEvent(new Event('allclear:hydrated'));
  }, []);
  return null;
}

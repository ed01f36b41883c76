import { useEffect } from 'react';

/** Tells build/after-paint.js that what is pressed from now on is heard. */
export function TakenOver() {
  useEffect(() => {
    window.dispatchEvent(new Event('allclear:taken-over'));
  }, []);
  return null;
}

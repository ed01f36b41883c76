import { useSyncExternalStore } from 'react';

const narrow = '(width < 400px)';

/** Returns the width of the names before the bars: phones keep room for the bars. */
export function useNameWidth(): number {
  return useSyncExternalStore(subscribe, isNarrow) ? 96 : 140;
}

function isNarrow(): boolean {
  return matchMedia(narrow).matches;
}

function subscribe(onChange: () => void): () => void {
  const media = matchMedia(narrow);
  media.addEventListener('change', onChange);
  return () => media.removeEventListener('change', onChange);
}

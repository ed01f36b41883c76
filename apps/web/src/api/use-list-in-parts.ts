import { useState } from 'react';
import type { List } from './use-list';

/** Rows that are shown at first, and with each call of `showOlder`. */
const step = 50;

/** Shows a list with large rows in parts, the newest first. */
export function useListInParts<T>(list: List<T>): List<T> {
  const [shown, setShown] = useState(step);
  const loaded = list.rows?.length ?? 0;
  return {
    ...list,
    rows: list.rows?.slice(0, shown),
    hasOlder: loaded > shown || list.hasOlder,
    showOlder: () => {
      if (loaded <= shown) list.showOlder();
      setShown(shown + step);
    },
  };
}

import { useRef } from 'react';

/** Drops responses that may contain an older version than a later one. */
export function useDropOutdated() {
  const started = useRef(0);
  const newest = useRef(0);
  return {
    /** Drops a response that arrives after the response to a later request. */
    dropOutdated: async <R>(read: () => Promise<R>): Promise<R | undefined> => {
      started.current += 1;
      const own = started.current;
      const response = await read();
      if (own < newest.current) return undefined;
      newest.current = own;
      return response;
    },
    /** Drops the responses to all requests that are pending. */
    dropPending: () => {
      started.current += 1;
      newest.current = started.current;
    },
  };
}

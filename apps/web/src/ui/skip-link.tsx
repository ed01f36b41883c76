import type { RefObject } from 'react';

/** The first stop of the Tab key, past the navigation. A link would add a history entry. */
export function SkipLink({ to }: { to: RefObject<HTMLElement | null> }) {
  return (
    <button
      type="button"
      onClick={() => to.current?.focus()}
      className="sr-only top-2 left-2 z-60 h-8 rounded-md bg-primary px-3 font-medium text-on-primary focus:not-sr-only focus:fixed"
    >
      Skip to content
    </button>
  );
}

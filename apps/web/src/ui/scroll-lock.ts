import { useEffect, type ReactNode } from 'react';

let locks = 0;

/**
 * Stands in for `react-remove-scroll` (an alias in vite.config.ts), which locks the page's scrolling by
 * writing a <style> element. This one sets an attribute that src/styles/base.css answers to.
 */
export function RemoveScroll({ children }: { children?: ReactNode }): ReactNode {
  useEffect(() => {
    locks += 1;
    document.documentElement.toggleAttribute('data-scroll-locked', true);
    return () => {
      locks -= 1;
      document.documentElement.toggleAttribute('data-scroll-locked', locks > 0);
    };
  }, []);
  return children;
}

import { useEffect, type ReactNode } from 'react';

let locks = 0;

/**
 * Stands in for `react-remove-scroll` (an alias in vite.config.ts), which locks the page's
 * scrolling by writing a <style> element. This one sets an attribute that
 * src/styles/base.css selects.
 */
export function RemoveScroll({ children }: { children?: ReactNode }): ReactNode {
  useEffect(() => {
    if (locks === 0) lock(document.documentElement);
    locks += 1;
    return () => {
      locks -= 1;
      if (locks === 0) unlock(document.documentElement);
    };
  }, []);
  return children;
}

function lock(page: HTMLElement): void {
  // As wide as the scrollbar that disappears, so that the page does not jump.
  const scrollbar = window.innerWidth - page.clientWidth;
  page.style.paddingRight = `${scrollbar}px`;
  page.toggleAttribute('data-scroll-locked', true);
}

function unlock(page: HTMLElement): void {
  page.style.paddingRight = '';
  page.toggleAttribute('data-scroll-locked', false);
}

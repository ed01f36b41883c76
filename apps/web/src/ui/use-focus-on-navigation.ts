import { useEffect, useRef } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom';

/**
 * Moves the focus to the `main` of a new screen, also of the first one after a sign-in, so that
 * screen readers start there. Returns the ref of the element.
 */
export function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const isLoadedPage = useNavigationType() === NavigationType.Pop;
  const shown = useRef(isLoadedPage ? pathname : null);
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus({ preventScroll: true });
    shown.current = pathname;
  }, [pathname]);
  return main;
}

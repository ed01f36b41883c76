import { useCallback, useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

/**
 * Goes one step back in history, or to `fallback` if the screen is the first one of its tab. Does
 * nothing once the screen has been left, because a late save must not change the screen.
 */
export function useGoBack(fallback: string): () => void {
  const navigate = useNavigate();
  const { key } = useLocation();
  const onScreen = useRef(false);
  useEffect(() => {
    onScreen.current = true;
    return () => {
      onScreen.current = false;
    };
  }, []);

  return useCallback(() => {
    if (!onScreen.current) return;
    if (key === 'default' || isFirstEntry(window.history.state)) {
      void navigate(fallback, { replace: true });
    } else {
      void navigate(-1);
    }
  }, [fallback, key, navigate]);
}

/** The router numbers the history entries of a tab from 0. */
function isFirstEntry(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'idx' in state && state.idx === 0;
}

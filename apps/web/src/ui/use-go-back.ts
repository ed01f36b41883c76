import { useCallback, useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

/**
 * One step back in history; to `fallback` where the screen is the first one of its tab. Once the screen has been
 * left it does nothing: a save that ends late must not move anybody.
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

import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

/** One step back in history; to `fallback` where the screen is the first one of its tab. */
export function useGoBack(fallback: string): () => void {
  const navigate = useNavigate();
  const { key } = useLocation();
  return useCallback(() => {
    if (key === 'default') void navigate(fallback, { replace: true });
    else void navigate(-1);
  }, [fallback, key, navigate]);
}

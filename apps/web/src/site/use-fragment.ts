import { useEffect } from 'react';
import { useLocation } from 'react-router-dom';

/** A link within a page takes the keyboard's focus along; the router itself only scrolls there. */
export function useFragment(): void {
  const { hash, key } = useLocation();
  useEffect(() => {
    if (hash === '') return;
    document.getElementById(decodeURIComponent(hash.slice(1)))?.focus({ preventScroll: true });
  }, [hash, key]);
}

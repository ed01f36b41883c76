import { useCallback, useState } from 'react';
import { useLocation } from 'react-router-dom';

/**
 * Whether something over the screen is open. It closes when another screen is shown, also by the
 * browser's back button.
 */
export function useOpen(): [boolean, (open: boolean) => void] {
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string | null>(null);
  // Otherwise it would be open again when the user returns to the screen.
  if (openAt !== null && openAt !== pathname) setOpenAt(null);
  const setOpen = useCallback((open: boolean) => setOpenAt(open ? pathname : null), [pathname]);
  return [openAt === pathname, setOpen];
}

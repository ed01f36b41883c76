import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { readSidebarExpanded, writeSidebarExpanded } from './sidebar-cookie';

const narrow = '(width < 768px)';

export interface Sidebar {
  /** Too narrow for a column: it lies over the page and is closed again after use. */
  isMobile: boolean;
  /** Whether the column shows words or icons alone. */
  isExpanded: boolean;
  /** Whether the panel over the page is open. */
  isOpen: boolean;
  setOpen: (open: boolean) => void;
  toggle: () => void;
}

export function useSidebar(): Sidebar {
  const isMobile = useSyncExternalStore(subscribeToWidth, isNarrow);
  const [isExpanded, setExpanded] = useState(readSidebarExpanded);
  const [isOpen, setOpen] = useState(false);

  const toggle = useCallback(() => {
    if (isMobile) {
      setOpen(!isOpen);
    } else {
      setExpanded(!isExpanded);
      writeSidebarExpanded(!isExpanded);
    }
  }, [isMobile, isOpen, isExpanded]);

  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 'b' || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      toggle();
    }
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [toggle]);

  return { isMobile, isExpanded, isOpen: isMobile && isOpen, setOpen, toggle };
}

function isNarrow(): boolean {
  return matchMedia(narrow).matches;
}

function subscribeToWidth(notify: () => void): () => void {
  const media = matchMedia(narrow);
  media.addEventListener('change', notify);
  return () => media.removeEventListener('change', notify);
}

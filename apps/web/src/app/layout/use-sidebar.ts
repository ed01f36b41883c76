import { useCallback, useEffect, useState } from 'react';
import { useMediaQuery } from '@/ui/use-media-query';
import { useOpen } from '@/ui/use-open';

const name = 'sidebar:state';
const sevenDays = 7 * 24 * 60 * 60;

/** Whether the sidebar was expanded at the last visit; true by default. */
function readSidebarExpanded(): boolean {
  return !document.cookie.split('; ').includes(`${name}=false`);
}

function writeSidebarExpanded(isExpanded: boolean): void {
  document.cookie = `${name}=${String(isExpanded)}; path=/; max-age=${sevenDays}; SameSite=Lax`;
}

const narrow = '(width < 768px)';

export interface Sidebar {
  /** Whether the window is narrow: the sidebar opens over the page and closes after use. */
  isMobile: boolean;
  /** Whether the column shows labels beside its icons. */
  isExpanded: boolean;
  /** Whether the sidebar over the page is open. */
  isOpen: boolean;
  setOpen: (open: boolean) => void;
  toggle: () => void;
}

export function useSidebar(): Sidebar {
  const isMobile = useMediaQuery(narrow);
  const [isExpanded, setExpanded] = useState(readSidebarExpanded);
  const [isOpen, setOpen] = useOpen();

  const toggle = useCallback(() => {
    if (isMobile) {
      setOpen(!isOpen);
    } else {
      setExpanded(!isExpanded);
      writeSidebarExpanded(!isExpanded);
    }
  }, [isMobile, isOpen, isExpanded, setOpen]);

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

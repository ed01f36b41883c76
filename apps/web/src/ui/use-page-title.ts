import { useEffect } from 'react';

/** Names the document after its screen: tabs, history and screen readers call it so. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Allclear`;
  }, [title]);
}

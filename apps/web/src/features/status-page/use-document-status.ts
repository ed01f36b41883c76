import { useEffect } from 'react';
import { documentTitle, favicon } from './headline';
import type { PageState } from './page-state';

/** Lets the browser's tab tell the status too. */
export function useDocumentStatus(state: PageState): void {
  const title = documentTitle(state);
  const icon = favicon(state);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    const before = link?.getAttribute('href');
    link?.setAttribute('href', icon);
    return () => {
      if (before) link?.setAttribute('href', before);
    };
  }, [icon]);
}

import { useRef, type ReactNode } from 'react';
import { SkipLink } from '@/ui/skip-link';
import { siteEntries, type SiteEntry } from './entries';
import { SiteFooter } from './site-footer';
import { SiteHeader } from './site-header';
import { useFragment } from './use-fragment';
import './site.css';

interface SiteFrameProps {
  entries?: readonly SiteEntry[];
  children: ReactNode;
}

/** Around every page that is about the product rather than part of it. */
export function SiteFrame({ entries = siteEntries, children }: SiteFrameProps) {
  const main = useRef<HTMLElement>(null);
  useFragment();
  return (
    <div data-site className="grid min-h-dvh grid-cols-1 grid-rows-[auto_1fr_auto]">
      <SkipLink to={main} />
      <SiteHeader entries={entries} />
      <main ref={main} tabIndex={-1} className="min-w-0 outline-none">
        {children}
      </main>
      <SiteFooter />
    </div>
  );
}

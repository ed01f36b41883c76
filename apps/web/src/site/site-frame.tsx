import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { useConfiguration } from '@/api/configuration';
import { paths } from '@/paths';
import { Logo } from '@/ui/logo';
import { SkipLink } from '@/ui/skip-link';
import { useFocusOnNavigation } from '@/ui/use-focus-on-navigation';
import { footerEntries, siteEntries, type SiteEntry } from './entries';
import { SiteHeader } from './site-header';
import './site.css';

interface SiteFrameProps {
  entries?: readonly SiteEntry[];
  children: ReactNode;
}

/** The frame of the web site's pages. */
export function SiteFrame({ entries = siteEntries, children }: SiteFrameProps) {
  const main = useFocusOnNavigation();
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

function SiteFooter() {
  const { version } = useConfiguration();
  return (
    <footer data-print="hidden" className="border-t border-line">
      <div className="mx-auto flex max-w-7xl flex-wrap items-center justify-between gap-x-10 gap-y-5 px-4 py-10 md:px-8">
        <div className="grid gap-1.5">
          <Link to={paths.landing} aria-label="Allclear, home" className="flex w-fit rounded-md">
            <Logo />
          </Link>
          <p className="text-sm text-subtle">Version {version}, free software under the AGPL.</p>
        </div>
        <nav aria-label="Footer">
          <ul className="-mx-2.5 flex flex-wrap gap-x-1">
            {footerEntries.map(({ label, to }) => (
              <li key={label}>
                <Link
                  to={to}
                  className="inline-flex h-9 items-center rounded-md px-2.5 text-muted transition-colors hover:text-ink pointer-coarse:h-11"
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </div>
    </footer>
  );
}

/** Moves the focus to the target of a link within the page; the router only scrolls to it. */
function useFragment(): void {
  const { hash, key } = useLocation();
  useEffect(() => {
    if (hash === '') return;
    document.getElementById(decoded(hash.slice(1)))?.focus({ preventScroll: true });
  }, [hash, key]);
}

/** A typed hash may be malformed: `#100%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { Card } from '@/ui/card';
import { Logo } from '@/ui/logo';
import { usePageTitle } from '@/ui/use-page-title';

interface AuthCardProps {
  title: string;
  description?: ReactNode;
  /** Below the card: links to related cards. */
  footer?: ReactNode;
  children?: ReactNode;
}

/** The sign-in page's one card: always dark, in the middle of the page's whole height. */
export function AuthCard({ title, description, footer, children }: AuthCardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  usePageTitle(title);
  // One card replaces another without loading a page, so screen readers announce it.
  useEffect(() => {
    heading.current?.focus();
  }, [title]);

  return (
    <div
      data-theme="dark"
      className="grid min-h-dvh content-center justify-items-center bg-canvas px-4 py-10 text-ink"
    >
      <main className="grid w-full max-w-sm gap-4">
        <Link
          to={paths.landing}
          aria-label="Allclear, home"
          className="mb-2 justify-self-center rounded-md"
        >
          <Logo />
        </Link>
        <Card className="grid gap-5 rounded-xl! p-6">
          <header className="grid gap-1">
            <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold outline-none">
              {title}
            </h1>
            {description && <p className="text-muted">{description}</p>}
          </header>
          {children}
        </Card>
        {footer && <div className="grid justify-items-center gap-1 text-muted">{footer}</div>}
      </main>
    </div>
  );
}

/** A button that reads like a link: it leads to another card of the same page. */
export function TextButton(props: Omit<ComponentProps<'button'>, 'type' | 'className'>) {
  return (
    <button
      type="button"
      className="rounded-sm font-medium text-accent underline-offset-4 hover:underline pointer-coarse:min-h-10"
      {...props}
    />
  );
}

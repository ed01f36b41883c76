import type { ReactNode } from 'react';
import { cn } from '@/ui/cn';
import type { StatusStyle } from '@/ui/statuses';
import { tones } from '@/ui/tone';

interface PageSectionProps {
  /** The anchor. */
  id: string;
  title: string;
  className?: string;
  children: ReactNode;
}

export function PageSection({ id, title, className, children }: PageSectionProps) {
  return (
    <section aria-labelledby={id} className={cn('grid min-w-0 content-start gap-3', className)}>
      <h2 id={id} className="text-xl font-semibold tracking-tight">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** The title of an incident or a maintenance, which leads to its page. */
export function TitleLink({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} className="rounded-sm underline-offset-2 hover:underline">
      {children}
    </a>
  );
}

/** A note about items that are left out. */
export function Omitted({ children }: { children: ReactNode }) {
  return <p className="text-sm text-subtle">{children}</p>;
}

/** The content of an empty section. */
export function NothingHere({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-lg border border-dashed border-line px-4 py-5 text-muted">{children}</p>
  );
}

/** Highlights the nearest `relative` element each time that `changes` increases. */
export function Highlight({ changes = 0 }: { changes: number | undefined }) {
  if (changes === 0) return null;
  return (
    <span
      key={changes}
      aria-hidden
      data-print="hidden"
      className="live-highlight pointer-events-none absolute inset-0 rounded-[inherit]"
    />
  );
}

/** User text with its line breaks; nothing if it is empty. */
export function Prose({ text, className }: { text: string; className?: string }) {
  if (text === '') return null;
  return (
    <p dir="auto" className={cn('max-w-prose wrap-anywhere whitespace-pre-line', className)}>
      {text}
    </p>
  );
}

/** A status without emphasis: as high as a badge, without its background. */
export function QuietStatus({ label, tone, icon: Icon }: StatusStyle) {
  return (
    <span className="inline-flex h-6 items-center gap-1.5 text-xs whitespace-nowrap text-muted">
      <Icon aria-hidden className={`size-3.5 shrink-0 ${tones[tone].text}`} />
      {label}
    </span>
  );
}

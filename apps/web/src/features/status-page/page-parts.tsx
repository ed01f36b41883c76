import type { ReactNode } from 'react';
import type { StatusIconName, StatusStyle } from '@/ui/status-styles';

/** An icon of the page's sprite, as decoration: see build/icon-sprite.ts. */
export function PageIcon({ name }: { name: StatusIconName | 'logo' | 'moon' | 'sun' }) {
  return (
    <svg aria-hidden>
      <use href={`#${name}`} />
    </svg>
  );
}

interface PageSectionProps {
  /** The anchor. */
  id: string;
  title: string;
  children: ReactNode;
}

export function PageSection({ id, title, children }: PageSectionProps) {
  return (
    <section aria-labelledby={id} className="section">
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** The title of an incident or a maintenance, which leads to its page. */
export function TitleLink({ to, children }: { to: string; children: string }) {
  return (
    <h3 dir="auto">
      <a href={to}>{children}</a>
    </h3>
  );
}

/** A note about items that are left out. */
export function Omitted({ children }: { children: ReactNode }) {
  return <p className="note">{children}</p>;
}

/** The content of an empty section. */
export function NothingHere({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>;
}

/** Highlights the element around it each time that `changes` increases. */
export function Highlight({ changes = 0 }: { changes: number | undefined }) {
  return changes > 0 && <span key={changes} aria-hidden className="live-highlight" />;
}

/**
 * A web address, without the punctuation that follows it. The server has the same pattern:
 * `domain/src/web_address.rs`.
 */
const address =
  /(https?:\/\/(?:[^\s()<>"]|\([^\s()<>"]*\))*(?:[^\s()<>"'.,:;!?\]}]|\([^\s()<>"]*\)))/i;

/** User text with its line breaks; nothing if it is empty. Web addresses become links. */
export function Prose({ text }: { text: string }) {
  // The group of the pattern makes every second part an address.
  const linked = text.split(address).map((part, index) =>
    index % 2 ? (
      <a key={index} href={part}>
        {part}
      </a>
    ) : (
      part
    ),
  );
  return text && <p dir="auto">{linked}</p>;
}

interface Marked {
  /**
   * Whether the item needs attention. Otherwise its status has no emphasis: as high as a badge,
   * without its background.
   */
  marked: boolean;
}

/** A status in its colour. */
export function StatusMark({ label, tone, iconName, marked }: StatusStyle & Marked) {
  return (
    <span className={marked ? 'badge' : 'quiet'} data-tone={tone}>
      <PageIcon name={iconName} />
      {label}
    </span>
  );
}

export function StatusMarks({ styles, marked }: Marked & { styles: readonly StatusStyle[] }) {
  return styles.map((style) => <StatusMark key={style.label} {...style} marked={marked} />);
}

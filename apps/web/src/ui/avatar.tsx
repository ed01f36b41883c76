import { cn } from './cn';

interface AvatarProps {
  name: string;
  className?: string;
}

/** The initials of a name, hidden from screen readers, because the name is beside them. */
export function Avatar({ name, className }: AvatarProps) {
  return (
    <span
      aria-hidden
      data-initials={initials(name)}
      className={cn(
        'grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent before:content-[attr(data-initials)]',
        className,
      )}
    />
  );
}

/** By code points, because letters may be outside the basic plane. */
function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => Array.from(word ?? '')[0]?.toUpperCase() ?? '').join('');
}

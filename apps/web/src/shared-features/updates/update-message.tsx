import { useState } from 'react';
import { cn } from '@/ui/cn';

/** What three lines hold in a narrow column. */
const shortLength = 120;
const shortLines = 3;

interface UpdateMessageProps {
  /** As in "Show more of update “We look.”". */
  name: string;
  message: string;
}

/** The message of an update. A long one is cut after three lines until it is opened. */
export function UpdateMessage({ name, message }: UpdateMessageProps) {
  const [isOpen, setOpen] = useState(false);
  // Empty lines would take the place of text.
  const dense = message.replace(/\n\s*\n/g, '\n');
  const isLong = dense.length > shortLength || dense.split('\n').length > shortLines;
  const label = isOpen ? 'Show less' : 'Show more';
  return (
    <>
      <p
        dir="auto"
        className={cn('max-w-prose wrap-anywhere whitespace-pre-line', !isOpen && 'line-clamp-3')}
      >
        {isOpen ? message : dense}
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`${label} of ${name}`}
          className="rounded-sm text-sm text-muted underline underline-offset-4 hover:text-ink pointer-coarse:py-2.5"
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </button>
      )}
    </>
  );
}

import { cn } from '@/ui/cn';

/** What a person wrote, as it was written: text, with its line breaks. Nothing where nothing was written. */
export function Prose({ text, className }: { text: string; className?: string }) {
  if (text === '') return null;
  return (
    <p dir="auto" className={cn('max-w-prose wrap-anywhere whitespace-pre-line', className)}>
      {text}
    </p>
  );
}

import type { ComponentProps, KeyboardEvent } from 'react';
import { cn } from './cn';
import { control } from './control';

/** Several lines. Ctrl+Enter or Cmd+Enter submits its form, because Enter begins a line. */
export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      dir="auto"
      className={cn(control, 'min-h-[150px] resize-y py-2', className)}
      aria-keyshortcuts="Control+Enter Meta+Enter"
      onKeyDown={submitByShortcut}
      {...props}
    />
  );
}

function submitByShortcut(event: KeyboardEvent<HTMLTextAreaElement>) {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  // This Enter ends the input of a character, as in Japanese.
  if (event.nativeEvent.isComposing) return;
  event.preventDefault();
  if (event.repeat) return;
  // By its button, which is disabled while the form loads or is saved.
  event.currentTarget.form?.querySelector<HTMLElement>('[type=submit]')?.click();
}

import type { ComponentProps } from 'react';

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

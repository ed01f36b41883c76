import { Tooltip as Radix } from 'radix-ui';
import type { FocusEvent, ReactElement, ReactNode } from 'react';

interface TooltipProps {
  content: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** Shows no tooltip. */
  disabled?: boolean;
  /** The explained element, which must accept a ref. */
  children: ReactElement;
}

/**
 * A tooltip on hover and on the keyboard's focus, which the pointer can reach. It is never the only
 * name of a control.
 */
export function Tooltip({ content, side = 'top', disabled = false, children }: TooltipProps) {
  return (
    <Radix.Provider delayDuration={0}>
      <Radix.Root>
        <Radix.Trigger asChild onFocus={keepClosed}>
          {children}
        </Radix.Trigger>
        {!disabled && (
          <Radix.Portal>
            <Radix.Content
              side={side}
              sideOffset={6}
              collisionPadding={8}
              className="z-50 max-w-64 animate-appear rounded-md bg-primary px-2 py-1 text-xs font-medium text-on-primary shadow-high forced-colors:border"
            >
              {content}
            </Radix.Content>
          </Radix.Portal>
        )}
      </Radix.Root>
    </Radix.Provider>
  );
}

/**
 * Opens no tooltip for a focus that does not come from the keyboard, like one that a dialog gives
 * back. Browsers show that focus after text was typed, so on a device for touch there is no tooltip
 * on focus: nothing would close it.
 */
function keepClosed(event: FocusEvent<HTMLElement>) {
  if (!event.currentTarget.matches(':focus-visible') || matchMedia('(hover: none)').matches) {
    event.preventDefault();
  }
}

import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';

interface TooltipProps {
  content: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** Shows no tooltip. */
  disabled?: boolean;
  /** The explained element, which must accept a ref. */
  children: ReactElement;
}

/** A tooltip on hover and focus, which the pointer can reach. It is never the only name of a control. */
export function Tooltip({ content, side = 'top', disabled = false, children }: TooltipProps) {
  return (
    <Radix.Provider delayDuration={0}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        {!disabled && (
          <Radix.Portal>
            <Radix.Content
              side={side}
              sideOffset={6}
              collisionPadding={8}
              className="z-50 max-w-64 animate-appear rounded-md bg-primary px-2 py-1 text-xs font-medium text-on-primary shadow-high"
            >
              {content}
            </Radix.Content>
          </Radix.Portal>
        )}
      </Radix.Root>
    </Radix.Provider>
  );
}

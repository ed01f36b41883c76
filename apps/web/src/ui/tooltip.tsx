import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';

interface TooltipProps {
  content: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** The thing explains itself for now. */
  disabled?: boolean;
  /** One element that takes a ref: the thing that is explained. */
  children: ReactElement;
}

/** Shows at once, on hover and on focus. It describes; it is never the only name of a control. */
export function Tooltip({ content, side = 'top', disabled = false, children }: TooltipProps) {
  return (
    <Radix.Provider delayDuration={0} disableHoverableContent>
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

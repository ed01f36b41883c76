import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';
import { buttonVariants } from './button-variants';
import { cn } from './cn';
import { overlay, panel } from './overlay';
import { useReturnFocus } from './return-focus';

interface DialogProps {
  open: boolean;
  /** Absent if the user cannot close the dialog. */
  onOpenChange?: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** Target of the focus afterwards, if the opener is gone by then, like an item of a menu. */
  returnTo?: RefObject<HTMLElement | null>;
  className?: string;
  children: ReactNode;
}

/** Closes by its button and by Esc, but not by a click outside, which would discard typed text. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  returnTo,
  className,
  children,
}: DialogProps) {
  const returnFocus = useReturnFocus(returnTo);
  return (
    <Radix.Root open={open} {...(onOpenChange && { onOpenChange })}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content
          className={cn(panel, className)}
          onInteractOutside={(event) => event.preventDefault()}
          {...returnFocus}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          {/* No <header>: outside of sections it is the banner of the whole page. */}
          <div className="grid gap-1 pr-8">
            <Radix.Title className="text-lg font-semibold text-ink">{title}</Radix.Title>
            {description && (
              <Radix.Description className="text-sm text-muted">{description}</Radix.Description>
            )}
          </div>
          {children}
          {/* Last, so that the focus starts on the content. */}
          {onOpenChange && (
            <Radix.Close
              aria-label="Close"
              className={cn(
                buttonVariants({ variant: 'ghost', size: 'icon' }),
                'absolute top-3 right-3',
              )}
            >
              <X aria-hidden />
            </Radix.Close>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>;
}

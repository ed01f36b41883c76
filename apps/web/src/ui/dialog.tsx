import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from './cn';
import { IconButton } from './icon-button';
import { overlay, panel } from './overlay';

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** The button that opens it, where the dialog sits beside one; focus goes back to it. */
  trigger?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** Closes by its button and by Esc; a click beside it does not throw away what was typed. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  trigger,
  className,
  children,
}: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      {trigger && <Radix.Trigger asChild>{trigger}</Radix.Trigger>}
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content
          className={cn(panel, className)}
          onInteractOutside={(event) => event.preventDefault()}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <header className="flex items-start justify-between gap-4">
            <div className="grid gap-1">
              <Radix.Title className="text-lg font-semibold text-ink">{title}</Radix.Title>
              {description && (
                <Radix.Description className="text-sm text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close" icon={<X />} className="-mt-1 -mr-1" />
            </Radix.Close>
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2">{children}</div>;
}

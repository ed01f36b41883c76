import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { buttonVariants } from '@/ui/button-variants';
import { Logo } from '@/ui/logo';
import { overlay } from '@/ui/overlay';
import { SidebarContent } from './sidebar-content';

interface SidebarPanelProps {
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The sidebar over the page, where the window has no room for a column. */
export function SidebarPanel({ isOpen, onOpenChange }: SidebarPanelProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlay} />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] [animation:slide_var(--motion-slow)_var(--ease)] flex-col border-r border-line bg-surface shadow-high focus:outline-none"
        >
          <Dialog.Title className="sr-only">Navigation</Dialog.Title>
          <div className="flex h-12 shrink-0 items-center justify-between px-3">
            <Logo />
            <Dialog.Close
              aria-label="Close"
              className={buttonVariants({ variant: 'ghost', size: 'icon' })}
            >
              <X aria-hidden />
            </Dialog.Close>
          </div>
          <SidebarContent iconOnly={false} onFollow={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

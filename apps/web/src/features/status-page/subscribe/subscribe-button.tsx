import { useState } from 'react';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';
import type { SubscribeDialogProps } from './subscribe-dialog';

type Dialog = (props: SubscribeDialogProps) => React.ReactNode;

/** Opens the dialog, whose code is loaded when it is asked for: few visitors need it. */
export function SubscribeButton({ orgId }: { orgId: string }) {
  const [Dialog, setDialog] = useState<Dialog>();
  const [open, setOpen] = useState(false);

  async function show() {
    try {
      const { SubscribeDialog } = await import('./subscribe-dialog');
      setDialog(() => SubscribeDialog);
      setOpen(true);
    } catch {
      toast.error('The form could not be loaded. Check your connection and try again.');
    }
  }

  return (
    <>
      <Button variant="primary" aria-haspopup="dialog" onClick={show}>
        Subscribe To Updates
      </Button>
      {Dialog && <Dialog orgId={orgId} open={open} onOpenChange={setOpen} />}
    </>
  );
}

import '@/styles/subscribe-dialog.css';
import { Toaster } from '@/ui/toaster';
import { SubscribeDialog, type SubscribeDialogProps } from './subscribe-dialog';

/** The dialog with a toaster, for a page without one. */
export function StandaloneSubscribeDialog(props: SubscribeDialogProps) {
  return (
    <>
      <SubscribeDialog {...props} />
      <Toaster />
    </>
  );
}

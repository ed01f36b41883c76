import { Toaster } from '@/ui/toaster';
import { SubscribeDialog, type SubscribeDialogProps } from './subscribe-dialog';

/** The dialog for a page without a toaster: it brings one. */
export function StandaloneSubscribeDialog(props: SubscribeDialogProps) {
  return (
    <>
      <SubscribeDialog {...props} />
      <Toaster />
    </>
  );
}

import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { useSubscribe } from './subscribe-context';
import type { SubscribeDialogProps } from './subscribe-dialog';

type Dialog = (props: SubscribeDialogProps) => ReactNode;

interface SubscribeButtonProps {
  loadDialog: () => Promise<Dialog>;
  /** Whether the page has no toaster. */
  standalone?: boolean;
}

/**
 * Opens the dialog, and draws it for every control that opens it. Few visitors need it, so its code
 * is loaded on demand. The first script presses the button if the address names it.
 */
export function SubscribeButton({ loadDialog, standalone }: SubscribeButtonProps) {
  const { state, request, isOpen, open, close } = useSubscribe();
  const { id, channels } = state.organisation;
  const [Dialog, setDialog] = useState<Dialog>();
  const [failed, setFailed] = useState(false);
  const isLoading = isOpen && !Dialog;

  const load = useEffectEvent(() => {
    loadDialog().then(
      (dialog) => setDialog(() => dialog),
      () => {
        setFailed(true);
        close();
      },
    );
  });
  useEffect(() => {
    if (isLoading) load();
  }, [isLoading]);

  return (
    <>
      {channels.length > 0 && (
        <button
          id="subscribe"
          className="primary"
          data-script="needed"
          aria-haspopup="dialog"
          aria-busy={isLoading || undefined}
          onClick={() => open({})}
        >
          Subscribe To Updates
        </button>
      )}
      {standalone && channels.includes('email') && (
        // For browsers without script: see public-frame.css.
        <a data-script="absent" className="primary" href={`/status/${id}/subscribe`}>
          Subscribe by mail
        </a>
      )}
      {Dialog && (
        <Dialog
          state={state}
          request={request}
          open={isOpen}
          onOpenChange={(next) => !next && close()}
        />
      )}
      {failed && !isOpen && !Dialog && (
        <p role="alert" className="not-loaded">
          The form could not be loaded. Try again.
        </p>
      )}
    </>
  );
}

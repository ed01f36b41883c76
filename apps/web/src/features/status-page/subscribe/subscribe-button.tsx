import { useState, type ReactNode } from 'react';
import { publicPaths } from '@/public-paths';
import type { SubscribeDialogProps } from './subscribe-dialog';

type Dialog = (props: SubscribeDialogProps) => ReactNode;

interface SubscribeButtonProps {
  orgId: string;
  /** Whether the page has no toaster. */
  standalone?: boolean;
}

/** Opens the dialog. Few visitors need it, so its code is loaded on demand. */
export function SubscribeButton({ orgId, standalone = false }: SubscribeButtonProps) {
  const [Dialog, setDialog] = useState<Dialog>();
  const [open, setOpen] = useState(false);
  const [loading, setLoading] = useState(false);
  const [failed, setFailed] = useState(false);

  async function show() {
    setFailed(false);
    setLoading(true);
    try {
      const dialog = await loadDialog(standalone);
      setDialog(() => dialog);
      setOpen(true);
    } catch {
      setFailed(true);
    }
    setLoading(false);
  }

  return (
    <>
      <button
        type="button"
        className="primary"
        data-script="needed"
        aria-haspopup="dialog"
        aria-busy={loading || undefined}
        onClick={() => void show()}
      >
        Subscribe To Updates
      </button>
      {standalone && <PlainForm orgId={orgId} />}
      {Dialog && <Dialog orgId={orgId} open={open} onOpenChange={setOpen} />}
      {failed && (
        <p role="alert" className="not-loaded">
          The form could not be loaded. Check your connection and try again.
        </p>
      )}
    </>
  );
}

/** The form for browsers without script: see status-page.css. */
function PlainForm({ orgId }: { orgId: string }) {
  return (
    <form data-script="absent" method="post" action={publicPaths.subscribe(orgId)}>
      <label htmlFor="plain-email">
        Email
        <input
          id="plain-email"
          type="email"
          name="email"
          required
          autoComplete="email"
          maxLength={254}
        />
      </label>
      <button type="submit" className="primary">
        Subscribe
      </button>
    </form>
  );
}

async function loadDialog(standalone: boolean): Promise<Dialog> {
  if (standalone) return (await import('./standalone-subscribe-dialog')).StandaloneSubscribeDialog;
  return (await import('./subscribe-dialog')).SubscribeDialog;
}

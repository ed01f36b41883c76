import { useEffect } from 'react';
import type { CodeNotLoaded } from '@/api/load-code';
import { Button } from '@/ui/button';
import { Message } from './message';
import { useServerReturn } from './use-server-return';

/**
 * Time during which the page is not loaded again a second time: nodes may run different versions
 * for a moment.
 */
const reloadPauseMs = 60_000;
const reloadedKey = 'allclear:reloaded-at';

interface NotLoadedProps {
  error: CodeNotLoaded;
  onRetry: () => void;
}

/**
 * Replaces a screen whose code could not be loaded. Retries by its button, and when the server is
 * available again. Loads the page again if the server has another version of the app.
 */
export function NotLoaded({ error, onRetry }: NotLoadedProps) {
  useEffect(() => {
    if (error.isReplaced && mayReload()) window.location.reload();
  }, [error]);
  useServerReturn(onRetry);
  return (
    <Message
      title={error.message}
      actions={
        <Button variant="primary" onClick={onRetry}>
          Try Again
        </Button>
      }
    >
      <p className="text-muted">Check your connection.</p>
    </Message>
  );
}

/** Whether the page has not been loaded again just now. Notes that it is. */
function mayReload(): boolean {
  try {
    const reloadedAt = Number(sessionStorage.getItem(reloadedKey));
    if (Date.now() - reloadedAt < reloadPauseMs) return false;
    sessionStorage.setItem(reloadedKey, String(Date.now()));
    return true;
  } catch {
    // Storage may be forbidden. Then it is unknown whether the page has been loaded again.
    return false;
  }
}

import { refusalReason } from '@/api/server-message';
import { toast } from './toast';

/** The toast of the last reason. */
let shown: string | undefined;

/** Dismisses the reason of an earlier failure. Called when an action without a form begins. */
export function dismissFailureToast(): void {
  if (shown !== undefined) toast.dismiss(shown);
}

/**
 * Shows that an action without a form has failed, and the reason of a refusal, if there is one. The
 * reason is nowhere else, so it stays until it is dismissed, or until the next such action.
 */
export function showFailureToast(text: string, error: unknown): void {
  const reason = refusalReason(error);
  if (reason === undefined) {
    toast.error(text);
    return;
  }
  dismissFailureToast();
  shown = toast.error(
    <>
      <p>{text}</p>
      <p className="text-sm text-muted">{reason}</p>
    </>,
    { duration: Infinity },
  );
}

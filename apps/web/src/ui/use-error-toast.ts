import { useEffect } from 'react';
import { toast } from './toast';

/** Says `message` once each time that something begins to fail. */
export function useErrorToast(failed: boolean, message: string): void {
  useEffect(() => {
    if (failed) toast.error(message);
  }, [failed, message]);
}

import { useEffect } from 'react';
import { toast } from './toast';

/** Shows `message` each time that `failed` becomes true. */
export function useErrorToast(failed: boolean, message: string): void {
  useEffect(() => {
    if (failed) toast.error(message);
  }, [failed, message]);
}

import { toast } from '@/ui/toast';
import { failureText } from './failure-text';

/**
 * Makes a change from outside of a form. A toast shows `done`, if it is given, or why the
 * change failed.
 */
export async function withToast(change: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await change();
    if (done !== undefined) toast.success(done);
  } catch (error) {
    toast.error(failureText(error));
  }
}

import { useCallback, useEffect, useRef } from 'react';
import { serverMessageOr } from '@/api/server-message';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';

type Undo = () => Promise<unknown>;

/**
 * Says what was done. `undo` takes it back; undefined for what cannot be taken back. `undone` says
 * what that has done.
 */
export type ShowDone = (text: string, undo?: Undo, undone?: string) => void;

/**
 * Returns the function that says what was done, with an offer to undo it. The last offer stays as
 * long as its screen is shown. `onUndone` is called after each try.
 */
export function useUndoToast(onUndone: () => void): ShowDone {
  const shown = useRef<string>(undefined);
  const dismiss = useCallback(() => {
    if (shown.current !== undefined) toast.dismiss(shown.current);
  }, []);
  useEffect(() => dismiss, [dismiss]);

  /** Takes a change back, unless there is another one since. */
  async function run(undo: Undo, undone: string) {
    try {
      await undo();
      toast.success(undone);
    } catch (failure) {
      toast.error(serverMessageOr('The change was not undone', failure));
    }
    onUndone();
  }

  return (text, undo, undone = 'Change undone') => {
    dismiss();
    if (undo === undefined) {
      toast.success(text);
      return;
    }
    let isTakenBack = false;
    const takeBack = () => {
      // The toast can be pressed until it has faded out.
      if (isTakenBack) return;
      isTakenBack = true;
      dismiss();
      void run(undo, undone);
    };
    // A toast of its own, so that each change is announced.
    shown.current = toast.success(
      <span className="flex flex-wrap items-baseline gap-x-3">
        {text}
        <Button size="sm" onClick={takeBack}>
          Undo
        </Button>
      </span>,
      { duration: Infinity },
    );
  };
}

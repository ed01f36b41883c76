import { useEffect, useEffectEvent, useRef } from 'react';
import type { Edit, MergeDecision } from './use-edit';

/**
 * Decides about the versions that `edit.refresh` reads. While the form is busy they are ignored; `refresh` is called again
 * afterwards.
 */
export function useDecision<T>(
  { setMergePolicy, refresh }: Edit<T>,
  isBusy: boolean,
  decide: (newest: T) => MergeDecision,
): void {
  const missed = useRef(false);
  const decideNow = useEffectEvent((newest: T): MergeDecision => {
    missed.current = isBusy;
    return isBusy ? 'ignore' : decide(newest);
  });
  useEffect(() => setMergePolicy((newest) => decideNow(newest)), [setMergePolicy]);
  const catchUp = useEffectEvent(() => {
    if (missed.current) void refresh();
  });
  useEffect(() => {
    if (!isBusy) catchUp();
  }, [isBusy]);
}

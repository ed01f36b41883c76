import { useEffect, useEffectEvent, useRef } from 'react';
import type { Edit, MergeDecision } from './use-edit';

/**
 * Decides about newer versions of `edit`. While the form is busy they are ignored, and `refresh` is
 * called again afterwards. The version that has rejected a save is never ignored.
 */
export function useDecision<T>(
  { setMergePolicy, refresh }: Edit<T>,
  isBusy: boolean,
  decide: (newest: T) => MergeDecision,
): void {
  const missed = useRef(false);
  const decideNow = useEffectEvent((newest: T, isRejected: boolean): MergeDecision => {
    missed.current = isBusy && !isRejected;
    return missed.current ? 'ignore' : decide(newest);
  });
  useEffect(
    () => setMergePolicy((newest, isRejected) => decideNow(newest, isRejected)),
    [setMergePolicy],
  );
  const catchUp = useEffectEvent(() => {
    if (missed.current) void refresh();
  });
  useEffect(() => {
    if (!isBusy) catchUp();
  }, [isBusy]);
}

import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { Precondition } from '@/api/client';
import { ApiError } from '@/api/error';
import type { ComponentOrder } from '@/api/types';
import { useEdit, type Edit, type MergeDecision } from '@/items/use-edit';
import { endpoints } from '@/paths';
import type { LiveEvent, LiveEventName } from '@/realtime/live-events';
import { useChanges } from '@/realtime/realtime';
import { entryOf, isSameOrder, noGroup, orderOf, treeOf, type OrderTree } from './order-tree';

export interface OrderEdit {
  /** The order with the moves that are not saved; undefined until it is read. */
  tree: OrderTree | undefined;
  error: ApiError | undefined;
  /** Reads the order again, after `error`. */
  retry: () => void;
  /** Whether there are moves that are not saved. */
  isDirty: boolean;
  isSaving: boolean;
  /** Replaces the order on the screen. */
  move: (tree: OrderTree) => void;
  /** Holds back the orders of others, while the user drags. */
  setDragging: (isDragging: boolean) => void;
  /** Saves the moves. After a change by somebody else it drops them and shows the other order; throws `ApiError`. */
  save: () => Promise<'saved' | 'outdated'>;
}

const orderEvents = new Set<LiveEventName>([
  'new-component',
  'component-deleted',
  'new-component-group',
  'component-group-deleted',
  'component-order-updated',
]);

/** Reads the order of the page, and saves moves only over the version that was read. */
export function useOrder(): OrderEdit {
  const api = useApi();
  const edit = useEdit<ComponentOrder>(endpoints.componentOrder);
  const [moved, setMoved] = useState<OrderTree | null>(null);
  const [isDragging, setDragging] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const saved = useMemo(() => edit.loaded && treeOf(edit.loaded), [edit.loaded]);
  const isDirty = moved !== null;
  useFollow(edit, saved, isDirty || isDragging || isSaving);

  async function save(): Promise<'saved' | 'outdated'> {
    if (moved === null) return 'saved';
    let outcome: 'saved' | 'outdated' = 'saved';
    setSaving(true);
    try {
      await edit.write(async (on: Precondition) => {
        try {
          return await api.post<ComponentOrder>(endpoints.componentOrder, orderOf(moved), on);
        } catch (error) {
          if (!(error instanceof ApiError && error.status === 412)) throw error;
          outcome = 'outdated';
          return api.get<ComponentOrder>(endpoints.componentOrder);
        }
      });
      setMoved(null);
    } finally {
      setSaving(false);
    }
    return outcome;
  }

  return {
    tree: moved ?? saved,
    error: edit.error,
    retry: edit.retry,
    isDirty,
    isSaving,
    move: (tree) => setMoved(saved && isSameOrder(tree, saved) ? null : tree),
    setDragging,
    save,
  };
}

/** Shows orders that other users have saved. An order that arrives while the user is busy is shown afterwards. */
function useFollow(
  { refresh, decideBy }: Edit<ComponentOrder>,
  saved: OrderTree | undefined,
  isBusy: boolean,
): void {
  const missed = useRef(false);
  const decide = useEffectEvent((): MergeDecision => {
    missed.current = isBusy;
    return isBusy ? 'ignore' : 'adopt';
  });
  useEffect(() => decideBy(() => decide()), [decideBy]);
  useChanges(
    (event) => orderEvents.has(event.name) || movesComponent(event, saved ?? []),
    () => void refresh(),
  );
  const catchUp = useEffectEvent(() => {
    if (missed.current) void refresh();
  });
  useEffect(() => {
    if (!isBusy) catchUp();
  }, [isBusy]);
}

/** Whether a component has another group than in the order. */
function movesComponent(event: LiveEvent, tree: OrderTree): boolean {
  if (event.name !== 'component-update') return false;
  const [{ id, groupId }] = event.args;
  return entryOf(tree, id)?.key !== (groupId ?? noGroup);
}

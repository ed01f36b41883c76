import { useMemo, useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { Precondition } from '@/api/client';
import { ApiError } from '@/api/error';
import type { ComponentOrder } from '@/api/types';
import { useDecision } from '@/items/use-decision';
import { useEdit, type Edit } from '@/items/use-edit';
import { endpoints } from '@/paths';
import type { LiveEvent, LiveEventName } from '@/realtime/live-events';
import { useChanges } from '@/realtime/realtime';
import {
  groupOf,
  isSameOrder,
  isSameWhereShared,
  noGroup,
  repeatMove,
  toComponentOrder,
  treeOf,
  type Move,
  type OrderTree,
} from './order-tree';

export interface OrderEdit {
  /** The order with the moves that are not saved; undefined until it is read. */
  tree: OrderTree | undefined;
  error: ApiError | undefined;
  /** Reads the order again, after `error`. */
  retry: () => Promise<unknown>;
  /** Whether there are moves that are not saved. */
  isDirty: boolean;
  isSaving: boolean;
  /** Changes the order on the screen. */
  move: (move: Move) => void;
  /** Holds back the orders of others, while the user drags. */
  setDragging: (isDragging: boolean) => void;
  /**
   * Saves the moves; throws `ApiError`. After a change by somebody else it shows the newest order
   * with the moves, which the next save is based on.
   */
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
  const [moves, setMoves] = useState<readonly Move[]>([]);
  const [isDragging, setDragging] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const saved = useMemo(() => edit.loaded && treeOf(edit.loaded), [edit.loaded]);
  const tree = useMemo(() => saved && moves.reduce(repeatMove, saved), [saved, moves]);
  const isDirty = moves.length > 0;
  useFollow(edit, saved, isDirty || isDragging || isSaving);

  async function save(): Promise<'saved' | 'outdated'> {
    if (tree === undefined || !isDirty) return 'saved';
    setSaving(true);
    try {
      const newest = await edit.write(async (on: Precondition) => {
        try {
          return await api.post<ComponentOrder>(
            endpoints.componentOrder,
            toComponentOrder(tree),
            on,
          );
        } catch (error) {
          if (!(error instanceof ApiError && error.status === 412)) throw error;
          return api.get<ComponentOrder>(endpoints.componentOrder);
        }
      });
      // After a 412 too: an earlier save may have succeeded although its response was lost.
      if (!isSameWhereShared(tree, treeOf(newest))) return 'outdated';
      setMoves([]);
      return 'saved';
    } finally {
      setSaving(false);
    }
  }

  return {
    tree,
    error: edit.error,
    retry: edit.retry,
    isDirty,
    isSaving,
    move: (move) => {
      if (saved === undefined || tree === undefined) return;
      setMoves(isSameOrder(repeatMove(tree, move), saved) ? [] : [...moves, move]);
    },
    setDragging,
    save,
  };
}

/**
 * Shows orders that other users have saved. An order that arrives while the user is busy is
 * shown afterwards.
 */
function useFollow(
  edit: Edit<ComponentOrder>,
  saved: OrderTree | undefined,
  isBusy: boolean,
): void {
  useDecision(edit, isBusy, () => 'adopt');
  useChanges(
    (event) => orderEvents.has(event.name) || movesComponent(event, saved ?? []),
    () => void edit.refresh(),
  );
}

/** Whether a component has another group than in the order. */
function movesComponent(event: LiveEvent, tree: OrderTree): boolean {
  if (event.name !== 'component-update') return false;
  const [{ id, groupId }] = event.args;
  return groupOf(tree, id)?.key !== (groupId ?? noGroup);
}

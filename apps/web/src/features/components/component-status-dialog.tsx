import type { FormikHelpers } from 'formik';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { ApiClient } from '@/api/client';
import { ApiError, isNotFound } from '@/api/error';
import { useListCache } from '@/api/list-cache';
import { patchItem } from '@/api/list-changes';
import type { Component } from '@/api/types';
import { useList } from '@/api/use-list';
import { endpoints } from '@/paths';
import {
  ChangeStatusDialog,
  type StatusValues,
} from '@/shared-features/affected/change-status-dialog';
import {
  changedSince,
  seenWith,
  StatusConflict,
  without,
} from '@/shared-features/affected/status-conflict';
import { showFailure } from '@/ui/form-failure';
import { formatNames } from '@/ui/format';
import { toast } from '@/ui/toast';

const { list, item } = endpoints.components;
const notChanged = 'The status was not changed';

interface ComponentStatusDialogProps {
  /** At least one. */
  components: readonly Component[];
  onClose: () => void;
}

/** Changes the status of components one by one. Mounted while it is open. */
export function ComponentStatusDialog({ components, onClose }: ComponentStatusDialogProps) {
  const api = useApi();
  const listCache = useListCache();
  const { rows = [] } = useList<Component>(list);
  // The components whose status is not changed yet, each as the user has seen it.
  const [left, setLeft] = useState(components);
  const changed = changedSince(left, rows);

  async function submit({ status }: StatusValues, form: FormikHelpers<StatusValues>) {
    if (changed.some((component) => component.status !== status)) {
      toast.error(notChanged);
      return;
    }
    const results = await Promise.allSettled(left.map((seen) => saveStatus(api, seen, status)));
    const outdated = results.flatMap((result) =>
      result.status === 'fulfilled' && result.value ? [result.value] : [],
    );
    // The list may lack what no event has reported yet; the dialog shows it from there.
    for (const component of outdated) listCache.update<Component>(list, patchItem(component));
    // Not awaited: without a connection it is retried for seconds.
    void listCache.refresh(list);
    const failed = left.filter((_, place) => results[place]?.status === 'rejected');
    if (failed.length === 0 && outdated.length === 0) {
      toast.success('Status changed');
      onClose();
      return;
    }
    const outdatedIds = new Set(outdated.map(({ id }) => id));
    const rest = left.filter((seen) => failed.includes(seen) || outdatedIds.has(seen.id));
    const text = `${notChanged}: ${formatNames(rest.map(({ name }) => name))}`;
    setLeft(rest);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) showFailure(form, failure.reason, text);
    else toast.error(text);
  }

  /** Leaves these components as they are now. */
  function leave(others: readonly Component[]) {
    const rest = without(left, others);
    if (rest.length === 0) onClose();
    else setLeft(rest);
  }

  return (
    <ChangeStatusDialog
      components={left}
      description="It stays until an incident changes it. The history keeps the status so far."
      onSubmit={submit}
      onClose={onClose}
    >
      <StatusConflict
        changed={changed}
        onLeave={leave}
        onChangeAnyway={() => setLeft(seenWith(left, changed))}
      />
    </ChangeStatusDialog>
  );
}

/** How often a save is tried whose component is changed between its read and its write. */
const mostAttempts = 3;

/**
 * Saves a status over the one that the user has seen. Returns the component, and saves nothing, if
 * another user has given it another status; undefined once it is saved, or if it was deleted.
 */
async function saveStatus(
  api: ApiClient,
  seen: Component,
  status: StatusValues['status'],
): Promise<Component | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { data, etag } = await api.get<Component>(item(seen.id));
      if (data.status !== seen.status && data.status !== status) return data;
      await api.patch(item(seen.id), { status }, { ifMatch: etag });
      return undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      const isOutdated = error instanceof ApiError && error.status === 412;
      if (!isOutdated || attempt === mostAttempts) throw error;
    }
  }
}

import { useFormikContext, type FormikHelpers } from 'formik';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { ignoreNotFound } from '@/api/error';
import { useListCache } from '@/api/list-cache';
import type { Component } from '@/api/types';
import { useList } from '@/api/use-list';
import { endpoints } from '@/paths';
import {
  ChangeStatusDialog,
  type StatusValues,
} from '@/shared-features/affected/change-status-dialog';
import { ConflictAlert, type RemoteField } from '@/ui/conflict-alert';
import { showFailure } from '@/ui/form-failure';
import { formatCount, formatNames } from '@/ui/format';
import { componentStatuses } from '@/ui/statuses';
import { toast } from '@/ui/toast';

const notChanged = 'The status was not changed';

interface ComponentStatusDialogProps {
  /** At least one. */
  components: readonly Component[];
  onClose: () => void;
}

/** Changes the status of components by one request each. Mounted while it is open. */
export function ComponentStatusDialog({ components, onClose }: ComponentStatusDialogProps) {
  const api = useApi();
  const listCache = useListCache();
  const { rows = [] } = useList<Component>(endpoints.components.list);
  // The components whose status is not changed yet, each as the user has seen it.
  const [left, setLeft] = useState(components);
  const changed = changedSince(left, rows);

  async function submit({ status }: StatusValues, form: FormikHelpers<StatusValues>) {
    if (changed.some((component) => component.status !== status)) {
      toast.error(notChanged);
      return;
    }
    const results = await Promise.allSettled(
      left.map(({ id }) =>
        api.patch(endpoints.components.item(id), { status }).catch(ignoreNotFound),
      ),
    );
    // Not awaited: without a connection it is retried for seconds.
    void listCache.refresh(endpoints.components.list);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure === undefined) {
      toast.success('Status changed');
      onClose();
      return;
    }
    const failed = left.filter((_, place) => results[place]?.status === 'rejected');
    const names = formatNames(failed.map(({ name }) => name));
    setLeft(failed);
    showFailure(form, failure.reason, `${notChanged}: ${names}`);
  }

  /** Leaves these components as they are now. */
  function leave(others: readonly Component[]) {
    const ids = new Set(others.map(({ id }) => id));
    const rest = left.filter(({ id }) => !ids.has(id));
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
        onChangeAnyway={() =>
          setLeft(left.map((seen) => changed.find(({ id }) => id === seen.id) ?? seen))
        }
      />
    </ChangeStatusDialog>
  );
}

/** Returns the components that have another status by now than the user has seen. */
function changedSince(seen: readonly Component[], rows: readonly Component[]): Component[] {
  const statuses = new Map(seen.map(({ id, status }) => [id, status]));
  return rows.filter(({ id, status }) => (statuses.get(id) ?? status) !== status);
}

/** Number of components that a conflict names. */
const mostNamed = 5;

interface StatusConflictProps {
  /** The components that have another status by now than the user has seen. */
  changed: readonly Component[];
  /** Leaves those components as they are now. */
  onLeave: (components: readonly Component[]) => void;
  onChangeAnyway: () => void;
}

/** Inside the form: shows statuses of others, over which the chosen one would be saved. */
function StatusConflict({ changed, onLeave, onChangeAnyway }: StatusConflictProps) {
  const { values, isSubmitting } = useFormikContext<StatusValues>();
  const conflicting = changed.filter(({ status }) => status !== values.status);
  if (isSubmitting || conflicting.length === 0) return null;
  const fields: RemoteField[] = conflicting
    .slice(0, mostNamed)
    .map(({ name, status }) => ({ label: name, value: componentStatuses[status].label }));
  const others = conflicting.length - fields.length;
  if (others > 0) fields.push({ label: 'Others', value: formatCount(others, 'component') });
  return (
    <ConflictAlert
      noun="status"
      remoteFields={fields}
      onUseRemote={() => onLeave(conflicting)}
      onKeepMine={onChangeAnyway}
    />
  );
}

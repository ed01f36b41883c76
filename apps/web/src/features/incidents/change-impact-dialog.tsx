import type { FormikHelpers } from 'formik';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import type { AttachedComponent } from '@/api/types';
import { useQuery } from '@/api/use-query';
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
  type StatusEntry,
} from '@/shared-features/affected/status-conflict';
import { showFailure } from '@/ui/form-failure';
import { toast } from '@/ui/toast';
import { readAttached } from './read-attached';

const notChanged = 'The status was not changed';

interface ChangeImpactDialogProps {
  incidentId: string;
  /** At least one. */
  components: readonly AttachedComponent[];
  onClose: () => void;
  onChanged: () => void;
}

/** Changes the status that an incident sets on components. Mounted while it is open. */
export function ChangeImpactDialog({
  incidentId,
  components,
  onClose,
  onChanged,
}: ChangeImpactDialogProps) {
  const api = useApi();
  const listCache = useListCache();
  const path = endpoints.incidents.components(incidentId);
  const attached = useQuery<AttachedComponent[]>(path);
  // The components to change, each as the user has seen it.
  const [seen, setSeen] = useState(() => components.map(statusEntry));
  const changed = changedSince(seen, (attached.data ?? []).map(statusEntry));

  async function change({ status }: StatusValues, form: FormikHelpers<StatusValues>) {
    try {
      // The API has no version of the impacts, so the newest ones are read before each save.
      const { data } = await readAttached(api, path);
      const others = changedSince(seen, data.map(statusEntry));
      if (others.some((entry) => entry.status !== status)) {
        listCache.update<AttachedComponent>(path, () => [data]);
        toast.error(notChanged);
        return;
      }
      await api.patch(endpoints.incidents.impacts(incidentId), {
        components: seen.map(({ id }) => ({ componentId: id, status })),
      });
    } catch (error) {
      showFailure(form, error, notChanged);
      return;
    }
    toast.success('Status changed');
    onClose();
    onChanged();
  }

  /** Leaves these components as they are now. */
  function leave(others: readonly StatusEntry[]) {
    const rest = without(seen, others);
    if (rest.length === 0) onClose();
    else setSeen(rest);
  }

  return (
    <ChangeStatusDialog
      components={seen}
      description="The incident sets it until it is resolved. The history keeps the status so far."
      onSubmit={change}
      onClose={onClose}
    >
      <StatusConflict
        changed={changed}
        onLeave={leave}
        onChangeAnyway={() => setSeen(seenWith(seen, changed))}
      />
    </ChangeStatusDialog>
  );
}

function statusEntry({ componentId, component, status }: AttachedComponent): StatusEntry {
  return { id: componentId, name: component.name, status };
}

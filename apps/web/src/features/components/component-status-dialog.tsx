import type { FormikHelpers } from 'formik';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import type { Component } from '@/api/types';
import { endpoints } from '@/paths';
import {
  ChangeStatusDialog,
  type StatusValues,
} from '@/shared-features/affected/change-status-dialog';
import { showFailure } from '@/ui/form-failure';
import { formatNames } from '@/ui/format';
import { toast } from '@/ui/toast';

interface ComponentStatusDialogProps {
  /** At least one. */
  components: readonly Component[];
  onClose: () => void;
}

/** Changes the status of components by one request each. Mounted while it is open. */
export function ComponentStatusDialog({ components, onClose }: ComponentStatusDialogProps) {
  const api = useApi();
  const listCache = useListCache();
  // The components whose status is not changed yet.
  const [left, setLeft] = useState(components);

  async function change({ status }: StatusValues, form: FormikHelpers<StatusValues>) {
    const results = await Promise.allSettled(
      left.map(({ id }) => api.patch(endpoints.components.item(id), { status })),
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
    showFailure(form, failure.reason, `The status was not changed: ${names}`);
  }

  return (
    <ChangeStatusDialog
      components={left}
      description="It stays until an incident changes it. The history keeps the status so far."
      onSubmit={change}
      onClose={onClose}
    />
  );
}

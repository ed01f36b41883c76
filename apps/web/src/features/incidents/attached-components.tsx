import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { AttachedComponent } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { calls } from '@/paths';
import { Button } from '@/ui/button';
import { LoadFailure } from '@/ui/load-failure';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { AttachComponentsDialog } from './attach-components-dialog';
import { AttachedComponentsTable } from './attached-components-table';

const fetchFailed = 'Error while fetching components';

interface AttachedComponentsProps {
  incidentId: string;
  /** After components were attached or detached. */
  onChanged: () => void;
}

export function AttachedComponents({ incidentId, onChanged }: AttachedComponentsProps) {
  const api = useApi();
  const attached = useQuery<AttachedComponent[]>(calls.incidents.components(incidentId));
  const [attaching, setAttaching] = useState(false);
  useErrorToast(attached.error !== undefined, fetchFailed);

  function changed() {
    void attached.refresh();
    onChanged();
  }

  async function detach(components: AttachedComponent[]) {
    try {
      await api.post(calls.incidents.detach(incidentId), {
        componentIds: components.map(({ componentId }) => componentId),
      });
      toast.success('Component(s) detached successfully');
    } catch {
      toast.error('Failed to detach components');
    }
    changed();
  }

  return (
    <div className="grid min-w-0 gap-3">
      <Button className="justify-self-end" onClick={() => setAttaching(true)}>
        <Plus aria-hidden /> Attach
      </Button>
      {attached.error && attached.data === undefined ? (
        <LoadFailure
          title={fetchFailed}
          reason={attached.error.message}
          onRetry={() => void attached.refresh()}
        />
      ) : (
        <AttachedComponentsTable components={attached.data} onDetach={detach} />
      )}
      {attaching && (
        <AttachComponentsDialog
          incidentId={incidentId}
          onClose={() => setAttaching(false)}
          onAttached={changed}
        />
      )}
    </div>
  );
}

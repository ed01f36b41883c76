import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { AttachedComponent } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { Permitted } from '@/auth/permitted';
import { removeRows } from '@/items/remove-rows';
import { endpoints } from '@/paths';
import { componentsFailed } from '@/shared-features/affected/affected';
import { Button } from '@/ui/button';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { LoadFailure } from '@/ui/load-failure';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { AttachComponentsDialog } from './attach-components-dialog';
import { AttachedComponentsTable } from './attached-components-table';
import { ChangeImpactDialog } from './change-impact-dialog';

interface AttachedComponentsProps {
  incidentId: string;
  /** Called after components were attached, changed or detached. */
  onChange: () => void;
}

export function AttachedComponents({ incidentId, onChange }: AttachedComponentsProps) {
  const api = useApi();
  const attached = useQuery<AttachedComponent[]>(endpoints.incidents.components(incidentId));
  const [attaching, setAttaching] = useState(false);
  const [changing, setChanging] = useState<AttachedComponent[]>([]);
  useErrorToast(attached.error !== undefined, componentsFailed);

  function changed() {
    void attached.refresh();
    onChange();
  }

  async function detach(components: AttachedComponent[]) {
    dismissFailureToast();
    try {
      await removeRows(
        components.map(({ componentId }) => componentId),
        (componentIds) => api.post(endpoints.incidents.detach(incidentId), { componentIds }),
      );
      toast.success('Component(s) detached successfully');
    } catch (error) {
      showFailureToast('Failed to detach components', error);
    }
    changed();
  }

  return (
    <div className="grid min-w-0 gap-3">
      <Permitted>
        <Button className="justify-self-end" onClick={() => setAttaching(true)}>
          <Plus aria-hidden /> Attach
        </Button>
      </Permitted>
      {attached.error && attached.data === undefined ? (
        <LoadFailure
          title="The components could not be loaded"
          reason={attached.error.message}
          onRetry={attached.refresh}
        />
      ) : (
        <AttachedComponentsTable
          components={attached.data}
          onChange={setChanging}
          onDetach={detach}
        />
      )}
      {attaching && (
        <AttachComponentsDialog
          incidentId={incidentId}
          onClose={() => setAttaching(false)}
          onAttached={changed}
        />
      )}
      {changing.length > 0 && (
        <ChangeImpactDialog
          incidentId={incidentId}
          components={changing}
          onClose={() => setChanging([])}
          onChanged={changed}
        />
      )}
    </div>
  );
}

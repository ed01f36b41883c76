import { CircleCheck } from 'lucide-react';
import { createContext, use, useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import { serverNow } from '@/api/server-clock';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { toast } from '@/ui/toast';
import { useNow } from '@/ui/use-now';
import type { EditedMaintenance, Maintenance } from './maintenance';

const { list, item } = endpoints.maintenances;
const failed = 'Failed to complete maintenance';

/** Opens the question before a maintenance is completed. */
const AskContext = createContext<((id: string) => void) | null>(null);

/**
 * Asks before a `CompleteMaintenance` completes its row: outside of the table, because the row may
 * move or go meanwhile.
 */
export function CompletionQuestion({ children }: { children: ReactNode }) {
  const api = useApi();
  const listCache = useListCache();
  const [asked, setAsked] = useState<string>();
  const [choice, setChoice] = useState<boolean>();
  // The rows lack the last choice for the maintenance.
  const { data, error } = useQuery<EditedMaintenance>(asked === undefined ? null : item(asked));
  // A message cannot be taken back: if that choice cannot be read, the user decides.
  const notify = choice ?? data?.notify ?? false;
  const isLoading = data === undefined && error === undefined;

  function ask(id: string) {
    setChoice(undefined);
    setAsked(id);
  }

  /** Ends the maintenance now, once it has begun: the server refuses an end before the start. */
  async function complete() {
    if (asked === undefined) return;
    dismissFailureToast();
    const endAt = serverNow().toISOString();
    // Without `notify`, the last choice holds.
    const input = notify === data?.notify ? { endAt } : { endAt, notify };
    try {
      const completed = await api.patch<Maintenance>(item(asked), input);
      if (completed.data.status === 'COMPLETED') {
        toast.success('Maintenance completed successfully');
      } else {
        toast.error(failed);
      }
    } catch (failure) {
      showFailureToast(failed, failure);
    }
    // The question stays until the row shows the new status.
    await listCache.refresh(list);
  }

  return (
    <AskContext value={ask}>
      {children}
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={(open) => !open && setAsked(undefined)}
        title="Complete this maintenance?"
        description="It ends now, also on the status page."
        loading={isLoading}
        confirmLabel="Complete Maintenance"
        cancelLabel="Not Yet"
        variant="primary"
        onConfirm={complete}
      >
        <Checkbox
          label="Notify subscribers"
          description="Sends a message to the subscribers now."
          disabled={isLoading}
          checked={notify}
          onChange={({ target: { checked } }) => setChoice(checked)}
        />
      </ConfirmDialog>
    </AskContext>
  );
}

/** The button of a row, inside a `CompletionQuestion`. */
export function CompleteMaintenance({ maintenance }: { maintenance: Maintenance }) {
  const ask = use(AskContext);
  if (ask === null) throw new Error('CompleteMaintenance needs a CompletionQuestion above it');
  const now = useNow(15_000);
  const { id, status, startAt, title } = maintenance;
  const isAhead = status === 'SCHEDULED' && Date.parse(startAt) > now;
  return (
    <Button
      size="sm"
      aria-label={`Complete Maintenance: ${title}`}
      disabled={isAhead || status === 'COMPLETED' || status === 'CANCELLED'}
      title={isAhead ? 'Possible once the maintenance has begun.' : undefined}
      onClick={() => ask(id)}
    >
      <CircleCheck aria-hidden /> Complete Maintenance
    </Button>
  );
}

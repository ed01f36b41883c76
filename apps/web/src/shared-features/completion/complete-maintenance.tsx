import { CircleCheck } from 'lucide-react';
import { createContext, use, useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import { serverNow } from '@/api/server-clock';
import type { Maintenance as StoredMaintenance } from '@/api/types';
import { useFreshQuery } from '@/api/use-fresh-query';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { toast } from '@/ui/toast';
import { useNow } from '@/ui/use-now';

type Maintenance = Pick<StoredMaintenance, 'id' | 'title' | 'status' | 'startAt'>;

const { list, item } = endpoints.maintenances;
const failed = 'Failed to complete maintenance';

/** Opens the question before a maintenance is completed. */
const AskContext = createContext<((id: string) => void) | null>(null);

interface CompletionQuestionProps {
  /** Resolves once the screen, if it is not the list, shows the new status. */
  onCompleted?: () => Promise<unknown>;
  children: ReactNode;
}

/**
 * Asks before a `CompleteMaintenance` completes its maintenance: outside of the table, because the
 * row may move or go meanwhile.
 */
export function CompletionQuestion({ onCompleted, children }: CompletionQuestionProps) {
  const listCache = useListCache();
  const [asked, setAsked] = useState<string>();
  return (
    <AskContext value={setAsked}>
      {children}
      {asked !== undefined && (
        <Question
          id={asked}
          onClose={() => setAsked(undefined)}
          // The question stays until the screen shows the new status.
          onDone={async () => {
            await listCache.refresh(list);
            await onCompleted?.();
          }}
        />
      )}
    </AskContext>
  );
}

interface QuestionProps {
  id: string;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

/** Mounted while it is open. */
function Question({ id, onClose, onDone }: QuestionProps) {
  const api = useApi();
  const [choice, setChoice] = useState<boolean>();
  // The screens lack the last choice for the maintenance, or have an outdated one.
  const { response, error } = useFreshQuery<StoredMaintenance>(item(id));
  const stored = response?.data.notify;
  // A message cannot be taken back: if that choice cannot be read, the user decides.
  const notify = choice ?? stored ?? false;
  const isLoading = response === undefined && error === undefined;

  /** Ends the maintenance now, once it has begun: the server refuses an end before the start. */
  async function complete() {
    dismissFailureToast();
    const endAt = serverNow().toISOString();
    // Without `notify`, the last choice holds.
    const input = notify === stored ? { endAt } : { endAt, notify };
    try {
      const completed = await api.patch<Maintenance>(item(id), input);
      if (completed.data.status === 'COMPLETED') {
        toast.success('Maintenance completed successfully');
      } else {
        toast.error(failed);
      }
    } catch (failure) {
      showFailureToast(failed, failure);
    }
    await onDone();
  }

  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
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
  );
}

/** The button of a maintenance, inside a `CompletionQuestion`. */
export function CompleteMaintenance({ maintenance }: { maintenance: Maintenance }) {
  const ask = use(AskContext);
  if (ask === null) throw new Error('CompleteMaintenance needs a CompletionQuestion above it');
  const now = useNow(15_000);
  const { id, status, startAt, title } = maintenance;
  const isAhead = status === 'SCHEDULED' && Date.parse(startAt) > now;
  const hint = isAhead ? 'Possible once the maintenance has begun.' : undefined;
  return (
    <Button
      size="sm"
      aria-description={hint ? `${title}. ${hint}` : title}
      disabled={isAhead || status === 'COMPLETED' || status === 'CANCELLED'}
      title={hint}
      onClick={() => ask(id)}
    >
      <CircleCheck aria-hidden /> Complete Maintenance
    </Button>
  );
}

import { CalendarPlus } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { ApiError } from '@/api/error';
import { maxPages, pageSize } from '@/api/fetch-all-pages';
import type { StatusPeriod } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { Permitted } from '@/auth/permitted';
import { endpoints } from '@/paths';
import { useItemChanges } from '@/realtime/realtime';
import { Button } from '@/ui/button';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { formatNumber } from '@/ui/format';
import { LoadFailure } from '@/ui/load-failure';
import { useErrorToast } from '@/ui/use-error-toast';
import { periodInput, periodValues, type PeriodValues, type SeenPeriod } from './history';
import { HistoryTable } from './history-table';
import { PeriodDialog } from './period-dialog';
import { useUndoToast, type ShowDone } from './use-undo-toast';

/** The open dialog. */
interface Editing {
  /** Undefined for a period that is added. */
  period: StatusPeriod | undefined;
  /** ETag of the history that its user has seen. */
  seen: string | null;
}

const maxPeriods = formatNumber(maxPages * pageSize);
const fetchFailed = 'Error while fetching the history';

/** Lists the periods of a component, and adds, changes and deletes them. */
export function HistoryPanel({ componentId }: { componentId: string }) {
  const api = useApi();
  const calls = endpoints.components.history(componentId);
  const { data, etag, next, error, refresh } = useQuery<StatusPeriod[]>(calls.list);
  const [editing, setEditing] = useState<Editing>();
  const periods = useMemo(() => data?.map((period) => ({ ...period, etag })), [data, etag]);
  const edit = useCallback((period: SeenPeriod) => setEditing({ period, seen: period.etag }), []);
  useErrorToast(error !== undefined, fetchFailed);
  useItemChanges('component-update', componentId, () => void refresh());
  const showDone = useUndoToast(() => void refresh());

  const done: ShowDone = (...change) => {
    void refresh();
    showDone(...change);
  };

  async function save({ period, seen }: Editing, values: PeriodValues) {
    const on = { ifMatch: seen };
    if (period === undefined) {
      const added = await api.post<StatusPeriod>(calls.create, periodInput(values), on);
      const { id } = added.data;
      done('Period added', () => api.delete(calls.item(id), undefined, { ifMatch: added.etag }));
    } else {
      const changed = await api.put(calls.item(period.id), periodInput(values), on);
      const before = periodInput(periodValues(period));
      // The component is operational since the end, so the period cannot last again.
      const isEnded = before.endAt === null && values.endAt !== '';
      const undo = () => api.put(calls.item(period.id), before, { ifMatch: changed.etag });
      done('Period changed', isEnded ? undefined : undo);
    }
    setEditing(undefined);
  }

  /** Reads the newest version. A period is added on top of it without a choice. */
  async function showConflict(editing: Editing) {
    const newest = await refresh();
    if (editing.period === undefined) setEditing({ ...editing, seen: newest });
  }

  async function remove(period: SeenPeriod) {
    dismissFailureToast();
    try {
      const gone = await api.delete(calls.item(period.id), undefined, { ifMatch: period.etag });
      const before = periodInput(periodValues(period));
      const addAgain = () => api.post(calls.create, before, { ifMatch: gone.etag });
      // Its cause is not restored: it is a period that this user has entered.
      done('Period deleted', addAgain, 'Period added again');
    } catch (failure) {
      const isConflict = failure instanceof ApiError && failure.status === 412;
      const text = isConflict
        ? 'The history has changed since you opened it'
        : 'The period was not deleted';
      showFailureToast(text, failure);
      void refresh();
    }
  }

  return (
    <div className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="max-w-prose text-sm text-muted">
          Times at which the component was not operational. Uptime follows each change at once.
        </p>
        <Permitted>
          <Button onClick={() => setEditing({ period: undefined, seen: etag })}>
            <CalendarPlus aria-hidden /> Add Period
          </Button>
        </Permitted>
      </div>
      {error && data === undefined ? (
        <LoadFailure
          title="The history could not be loaded"
          reason={error.message}
          onRetry={refresh}
        />
      ) : (
        <HistoryTable periods={periods} onEdit={edit} onDelete={remove} />
      )}
      {next && (
        <p className="text-sm text-subtle">Only the newest {maxPeriods} periods are shown.</p>
      )}
      {editing && (
        <PeriodDialog
          period={editing.period}
          newest={data}
          onClose={() => setEditing(undefined)}
          onSave={(values) => save(editing, values)}
          onConflict={() => showConflict(editing)}
          onAccept={() =>
            setEditing({
              period: data?.find(({ id }) => id === editing.period?.id) ?? editing.period,
              seen: etag,
            })
          }
        />
      )}
    </div>
  );
}

import { useFormikContext } from 'formik';
import type { ComponentStatus } from '@/api/types';
import { ConflictAlert, type RemoteField } from '@/ui/conflict-alert';
import { formatCount } from '@/ui/format';
import { componentStatuses } from '@/ui/statuses';
import type { StatusValues } from './change-status-dialog';

/** A component with the status that a dialog changes. */
export interface StatusEntry {
  id: string;
  name: string;
  status: ComponentStatus;
}

/** Returns the entries of `newest` that have another status than the user has seen. */
export function changedSince<Entry extends StatusEntry>(
  seen: readonly StatusEntry[],
  newest: readonly Entry[],
): Entry[] {
  const statuses = new Map(seen.map(({ id, status }) => [id, status]));
  return newest.filter(({ id, status }) => (statuses.get(id) ?? status) !== status);
}

/** Number of components that a conflict names. */
const mostNamed = 5;

interface StatusConflictProps<Entry> {
  /** The components that have another status by now than the user has seen. */
  changed: readonly Entry[];
  /** Leaves those components as they are now. */
  onLeave: (components: readonly Entry[]) => void;
  onChangeAnyway: () => void;
}

/**
 * Inside a `ChangeStatusDialog`: shows statuses of others, over which the chosen one would be saved.
 */
export function StatusConflict<Entry extends StatusEntry>({
  changed,
  onLeave,
  onChangeAnyway,
}: StatusConflictProps<Entry>) {
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

/** Returns what the user has seen once a conflict has shown `changed`. */
export function seenWith<Entry extends StatusEntry>(
  seen: readonly Entry[],
  changed: readonly Entry[],
): Entry[] {
  const newest = new Map(changed.map((entry) => [entry.id, entry]));
  return seen.map((entry) => newest.get(entry.id) ?? entry);
}

/** Returns the entries that are not among `others`. */
export function without<Entry extends StatusEntry>(
  entries: readonly Entry[],
  others: readonly StatusEntry[],
): Entry[] {
  const ids = new Set(others.map(({ id }) => id));
  return entries.filter(({ id }) => !ids.has(id));
}

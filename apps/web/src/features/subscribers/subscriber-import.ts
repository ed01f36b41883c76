import { boolean, object, string } from 'yup';
import type { SubscriberImport } from '@/api/types';
import { formatCount, formatNumber } from '@/ui/format';

export interface ImportValues {
  csv: string;
  /** Whether the people have agreed, so that no message asks them to confirm. */
  confirmed: boolean;
  consent: string;
}

export const importSchema = object({
  csv: string().required('Choose a file'),
  confirmed: boolean().required(),
  consent: string().when('confirmed', {
    is: true,
    then: (consent) => consent.trim().required('Say how and when they agreed'),
  }),
});

export function importQuery(values: ImportValues, dryRun: boolean): URLSearchParams {
  const query = new URLSearchParams({ dryRun: String(dryRun) });
  if (values.confirmed) {
    query.set('confirmed', 'true');
    query.set('consent', values.consent.trim());
  }
  return query;
}

/** The toast after an import. */
export function importedText({ added, known, failed }: SubscriberImport): string {
  const parts = [
    `${formatCount(added, 'subscriber')} imported`,
    known > 0 && `${formatNumber(known)} already known`,
    failed > 0 && `${formatCount(failed, 'row')} left out`,
  ];
  return parts.filter(Boolean).join(', ');
}

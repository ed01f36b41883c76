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

/** The toast after an import that left nothing out. */
export function importedText({ added, known }: SubscriberImport): string {
  const imported = `${formatCount(added, 'subscriber')} imported`;
  return known > 0 ? `${imported}, ${formatNumber(known)} already known` : imported;
}

/** Says that the mails left today are too few for the new addresses; null if they suffice. */
export function mailLimitText(added: number, left = Infinity): string | null {
  if (left >= added) return null;
  const mailed = left === 0 ? 'None' : `Only ${formatNumber(left)}`;
  const all = formatCount(added, 'new address', 'new addresses');
  return `${mailed} of ${all} can be asked to confirm today. The import leaves the others out: repeat it tomorrow (UTC), or tick the box below if these people have agreed.`;
}

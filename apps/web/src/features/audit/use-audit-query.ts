import { useFilterQuery } from '@/items/list-filter';
import { firstDay } from '@/ui/local-minute';

const filterNames = ['actorId', 'action', 'targetId', 'from', 'to'] as const;

type FilterName = (typeof filterNames)[number];

export interface AuditQuery {
  /** The filters as the API takes them. */
  query: URLSearchParams;
  value: (name: FilterName) => string;
  choose: (changes: Partial<Record<FilterName, string>>) => void;
}

/**
 * The filters of the audit log, which the query of the address keeps. Days are those of the
 * person's time zone.
 */
export function useAuditQuery(): AuditQuery {
  const { query: address, choose } = useFilterQuery();
  const value = (name: FilterName) => address.get(name) ?? '';
  const query = new URLSearchParams();
  for (const name of filterNames) {
    const text = value(name);
    const sent = name === 'from' || name === 'to' ? instantOf(text, name === 'to') : text;
    if (sent !== '') query.set(name, sent);
  }
  return { query, value, choose };
}

/** Whether a text names a day from 1970 on. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && text >= firstDay && !Number.isNaN(Date.parse(text));
}

/** The first or last instant of a day; '' for what is no day. */
function instantOf(day: string, isLast: boolean): string {
  if (!isDay(day)) return '';
  return new Date(`${day}T${isLast ? '23:59:59.999' : '00:00:00.000'}`).toISOString();
}

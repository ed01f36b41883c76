import { object } from 'yup';
import { instant, oneStatusOf, optionalInstant } from '@/api/rules';
import type { ComponentStatus, StatusPeriod, StatusPeriodInput } from '@/api/types';
import { componentStatuses } from '@/ui/statuses';

/** A period as its user sees it. */
export interface SeenPeriod extends StatusPeriod {
  /** ETag of the history from which it was read. */
  etag: string | null;
}

/** The statuses of periods: all but OPERATIONAL. */
export const periodStatuses = {
  DEGRADED: componentStatuses.DEGRADED,
  PARTIAL_OUTAGE: componentStatuses.PARTIAL_OUTAGE,
  MAJOR_OUTAGE: componentStatuses.MAJOR_OUTAGE,
};

export interface PeriodValues {
  status: ComponentStatus;
  startAt: string;
  /** '' for the period that lasts. */
  endAt: string;
}

export const newPeriod: PeriodValues = { status: 'MAJOR_OUTAGE', startAt: '', endAt: '' };

const timeRequired = 'Please enter a valid date and time';

const fields = { status: oneStatusOf(periodStatuses), startAt: instant(timeRequired) };

export const pastPeriodSchema = object({ ...fields, endAt: instant(timeRequired) });

export const lastingPeriodSchema = object({ ...fields, endAt: optionalInstant(timeRequired) });

export function periodValues({ status, startAt, endAt }: StatusPeriod): PeriodValues {
  return { status, startAt, endAt: endAt ?? '' };
}

export function periodInput({ status, startAt, endAt }: PeriodValues): StatusPeriodInput {
  return { status, startAt, endAt: endAt || null };
}

/** Says what caused a period. */
export function causeText({ cause }: StatusPeriod): string {
  const name = cause.name ?? 'unknown';
  switch (cause.type) {
    case 'INCIDENT':
      return cause.name ? `Incident “${name}”` : 'A deleted incident';
    case 'OPERATOR':
      return cause.name ? `Set by ${name}` : 'Set by hand';
    case 'CORRECTION':
      return `Entered by ${name}`;
  }
}

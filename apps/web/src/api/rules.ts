import { mixed, string } from 'yup';

/** The rule for a moment that has to be there. */
export function instant(message: string) {
  return string().required(message).test('instant', message, isInstant);
}

/** The rule for a moment that may be missing (''). */
export function optionalInstant(message: string) {
  return string().test('instant', message, (value) => !value || isInstant(value));
}

/** The rule for one of a table's statuses. */
export function oneStatusOf<Status extends string>(statuses: Record<Status, unknown>) {
  const message = 'Select Any One';
  return mixed<Status>()
    .oneOf(Object.keys(statuses) as Status[], message)
    .required(message);
}

function isInstant(value: string | undefined): boolean {
  return value !== undefined && !Number.isNaN(Date.parse(value));
}

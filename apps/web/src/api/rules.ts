import { mixed, string } from 'yup';
import { limits } from './text';

const local = "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}";
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?';
const address = new RegExp(`^${local}@${label}(?:\\.${label})*$`, 'u');

/** The rule for a mail address, with any letters in its domain. Yup's own knows those of ASCII only. */
export function emailAddress() {
  const message = 'Invalid email address';
  return string()
    .trim()
    .required(message)
    .matches(address, message)
    .test('length', message, (value) => Array.from(value).length <= limits.address);
}

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

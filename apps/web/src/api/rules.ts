import { mixed, string } from 'yup';
import { isOneLine, limits } from './text';

const local = "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}";
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?';
const known = new RegExp(`^${local}@${label}(?:\\.${label})*$`, 'u');
const dotted = new RegExp(`^${local}@${label}(?:\\.${label})+$`, 'u');

/** The rule for a new mail address, with any letters in its domain. Yup's own knows those of ASCII only. */
export function emailAddress() {
  return address(dotted);
}

/** The rule for an address that was accepted earlier, when a domain needed no dot. */
export function knownEmailAddress() {
  return address(known);
}

function address(form: RegExp) {
  const message = 'Invalid email address';
  return string()
    .trim()
    .required(message)
    .test('line', 'Must be one line', isOneLine)
    .test('form', message, (value) => !isOneLine(value) || form.test(value))
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

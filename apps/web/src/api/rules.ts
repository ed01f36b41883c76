import { mixed, string } from 'yup';
import { serverNow } from './server-clock';
import { isOneLine, limits } from './text';

const local = "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}";
const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?';
const known = new RegExp(`^${local}@${label}(?:\\.${label})*$`, 'u');
const dotted = new RegExp(`^${local}@${label}(?:\\.${label})+$`, 'u');

/** Rule for a new mail address. Unlike yup's rule it accepts domains outside ASCII. */
export function emailAddress() {
  return address(dotted);
}

/** Rule for the address of an existing account, whose domain may have no dot. */
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

/** Rule for a required time. */
export function instant(message: string) {
  return string().required(message).test('instant', message, isInstant);
}

/** Rule for an optional time ('' if it is missing). */
export function optionalInstant(message: string) {
  return string().test('instant', message, (value) => !value || isInstant(value));
}

/** Rule for a key of a status table. */
export function oneStatusOf<Status extends string>(statuses: Record<Status, unknown>) {
  const message = 'Select Any One';
  return mixed<Status>()
    .oneOf(Object.keys(statuses) as Status[], message)
    .required(message);
}

/**
 * Whether a time has come by the server's clock. True also for a missing or invalid time, which
 * another rule rejects.
 */
export function isNotInFuture(value: string | undefined): boolean {
  return !value || !(Date.parse(value) > serverNow().getTime());
}

/** Whether a text is a time. One before 1970 is mistyped, such as in the year 0026. */
function isInstant(value: string | undefined): boolean {
  return value !== undefined && Date.parse(value) >= 0;
}

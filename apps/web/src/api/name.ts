import { limits, line } from './text';

const message = 'Name is required';

/** Rule for a name: one line of at least two characters, counted in Unicode scalar values. */
export function nameRule() {
  return line(limits.name)
    .test('minimum', message, (value = '') => Array.from(value).length >= 2)
    .required(message);
}

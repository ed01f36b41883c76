import { limits, line } from './text';

/** Rule for a name: one line of at least two characters, counted in Unicode scalar values. */
export function name(message: string) {
  return line(limits.name)
    .test('minimum', message, (value = '') => Array.from(value).length >= 2)
    .required(message);
}

import { string } from 'yup';

/** Maximum lengths of texts in Unicode scalar values. */
export const limits = { name: 200, text: 10_000, review: 50_000, address: 254 } as const;

/** Rule for trimmed text of at most `max` characters. */
export function text(max: number) {
  return string()
    .trim()
    .test(
      'characters',
      `Must be at most ${max} characters`,
      (value = '') => Array.from(value).length <= max,
    );
}

/** Control characters, line separators, and characters that change the direction of writing. */
const breaksLine = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** Whether text is one line, by the server's rule. */
export function isOneLine(value = ''): boolean {
  return !breaksLine.test(value);
}

/** Rule for one line of trimmed text of at most `max` characters. */
export function line(max: number) {
  return text(max).test('line', 'Must be one line', isOneLine);
}

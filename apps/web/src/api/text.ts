import { string } from 'yup';

/** How long text may be, in characters as people count them (Unicode scalar values). */
export const limits = { name: 200, text: 10_000, address: 254 } as const;

/** The rule for text that is trimmed and may be at most `max` characters long. */
export function text(max: number) {
  return string()
    .trim()
    .test(
      'characters',
      `Must be at most ${max} characters`,
      (value = '') => Array.from(value).length <= max,
    );
}

/** Control characters, line separators, and characters that embed, override or isolate the direction of writing. */
const breaksLine = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** Whether text is one line, by the server's own rule. */
export function isOneLine(value = ''): boolean {
  return !breaksLine.test(value);
}

/** The rule for text of one line that is trimmed and may be at most `max` characters long. */
export function line(max: number) {
  return text(max).test('line', 'Must be one line', isOneLine);
}

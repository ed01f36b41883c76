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

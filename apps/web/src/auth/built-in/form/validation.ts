import { string } from 'yup';
import { emailAddress as mailAddress } from '@/api/rules';
import { limits, text } from '@/api/text';

/** The rules of the built-in provider's fields, with the server's own messages. */

const passwordLength = { min: 12, max: 128 } as const;
const organisationNameMin = 2;

const characters = (value: string | undefined) => Array.from(value ?? '').length;

const tooLong = `Must be at most ${passwordLength.max} characters`;

export const personName = text(limits.name).required('Name is required');

export const organisationName = text(limits.name)
  .required('Name is required')
  .test('length', 'Name is required', (value) => characters(value) >= organisationNameMin);

export const emailAddress = mailAddress();

/** A password that exists: it may be shorter than a new one has to be. */
export const givenPassword = string()
  .required('Password is required')
  .test('most', tooLong, (value) => characters(value) <= passwordLength.max);

export const newPassword = string()
  .required('Password is required')
  .test(
    'fewest',
    `Must be at least ${passwordLength.min} characters`,
    (value) => characters(value) >= passwordLength.min,
  )
  .test('most', tooLong, (value) => characters(value) <= passwordLength.max);

import { string } from 'yup';
import { nameRule } from '@/api/name';
import { emailAddress as mailAddress, knownEmailAddress } from '@/api/rules';
import { limits, line } from '@/api/text';

/** Rules of the built-in provider's fields, with the server's messages. */

export const passwordLength = { min: 10, max: 256 } as const;

const characters = (value: string | undefined) => Array.from(value ?? '').length;

const tooLong = `Must be at most ${passwordLength.max} characters`;

export const personName = line(limits.name).required('Name is required');

export const organisationName = nameRule();

export const emailAddress = mailAddress();

/** Address of an existing account, whose domain may have no dot. */
export const givenEmailAddress = knownEmailAddress();

/** An existing password, which may be shorter than a new one must be. */
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

/** A code of an authenticator app, or a recovery code. */
export const factorCode = string().trim().default('').required('Code is required');

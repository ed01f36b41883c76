import { object, string, type InferType } from 'yup';
import { knownEmailAddress } from '@/api/rules';

const address = { email: knownEmailAddress(), orgId: string().required() };

const verification = object({ ...address, verificationCode: string().required() });
const unsubscription = object({ ...address, unsubscribeCode: string().required() });

/** What a verification link carries; null when something of it is missing or wrong. */
export function verificationOf(query: URLSearchParams): InferType<typeof verification> | null {
  const given = Object.fromEntries(query);
  return verification.isValidSync(given) ? verification.cast(given, { stripUnknown: true }) : null;
}

/** What an unsubscribe link carries; null when something of it is missing or wrong. */
export function unsubscriptionOf(query: URLSearchParams): InferType<typeof unsubscription> | null {
  const given = Object.fromEntries(query);
  return unsubscription.isValidSync(given)
    ? unsubscription.cast(given, { stripUnknown: true })
    : null;
}

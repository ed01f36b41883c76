import { object, string, type InferType, type Schema } from 'yup';
import { knownEmailAddress } from '@/api/rules';

const orgId = string().required();
const subscriberId = string().required();
const verificationCode = string().required();
const unsubscribeCode = string().required();

/** Mails name the address, other messages the subscriber. */
const verificationSchemas = [
  object({ subscriberId, orgId, verificationCode }),
  object({ email: knownEmailAddress(), orgId, verificationCode }),
];
const unsubscriptionSchemas = [
  object({ subscriberId, orgId, unsubscribeCode }),
  object({ email: knownEmailAddress(), orgId, unsubscribeCode }),
];
const manageSchema = object({ subscriberId, orgId, manageCode: string().required() });

interface Whose {
  email?: string;
  subscriberId?: string;
  orgId: string;
}

export type Verification = Whose & { verificationCode: string };
export type Unsubscription = Whose & { unsubscribeCode: string };
export type ManageLink = InferType<typeof manageSchema>;

/** Reads the query of a verification link; null if a value is missing or invalid. */
export function verificationOf(query: URLSearchParams): Verification | null {
  return read(verificationSchemas, query) as Verification | null;
}

/** Reads the query of an unsubscribe link; null if a value is missing or invalid. */
export function unsubscriptionOf(query: URLSearchParams): Unsubscription | null {
  return read(unsubscriptionSchemas, query) as Unsubscription | null;
}

/** Reads the query of a manage link; null if a value is missing. */
export function manageLinkOf(query: URLSearchParams): ManageLink | null {
  return read([manageSchema], query) as ManageLink | null;
}

/** Reads a query by the first schema that it matches. */
function read(schemas: readonly Schema[], query: URLSearchParams): unknown {
  const given = Object.fromEntries(query);
  const schema = schemas.find((candidate) => candidate.isValidSync(given));
  return schema ? schema.cast(given, { stripUnknown: true }) : null;
}

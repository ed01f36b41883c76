import { Link, Navigate, useSearchParams } from 'react-router-dom';
import { type InferType, object, string } from 'yup';
import { knownEmailAddress } from '@/api/rules';
import { endpoints, paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { LinkPage, useLinkCall } from './link-page';

export function VerifyPage() {
  const [query] = useSearchParams();
  const verification = verificationOf(query);
  if (verification === null) return <Navigate to={paths.landing} replace />;
  return <Verifying verification={verification} />;
}

type Verification = NonNullable<ReturnType<typeof verificationOf>>;

function Verifying({ verification }: { verification: Verification }) {
  const [progress, retry] = useLinkCall({
    path: endpoints.subscribers.verify,
    body: verification,
    done: 'Email verified successfully!',
    failed: 'Unable to verify email',
  });
  return (
    <LinkPage
      progress={progress}
      titles={{
        running: 'Verifying Email',
        done: 'Email Verified!',
        failed: 'Verification Failed',
      }}
      done={`Updates will be mailed to ${verification.email}.`}
      doneAction={
        <a href={paths.status(verification.orgId)} className={buttonVariants()}>
          View Status Page
        </a>
      }
      onRetry={retry}
    />
  );
}

export function UnsubscribePage() {
  const [query] = useSearchParams();
  const unsubscription = unsubscriptionOf(query);
  if (unsubscription === null) return <Navigate to={paths.landing} replace />;
  return <Unsubscribing unsubscription={unsubscription} />;
}

type Unsubscription = NonNullable<ReturnType<typeof unsubscriptionOf>>;

function Unsubscribing({ unsubscription }: { unsubscription: Unsubscription }) {
  const [progress, retry] = useLinkCall({
    path: endpoints.subscribers.unsubscribe,
    body: unsubscription,
    done: 'Successfully unsubscribed!',
    failed: 'Unable to process unsubscribe request',
  });
  return (
    <LinkPage
      progress={progress}
      titles={{
        running: 'Processing Unsubscribe Request',
        done: 'Successfully Unsubscribed',
        failed: 'Unsubscribe Failed',
      }}
      done={`No more updates will be mailed to ${unsubscription.email}.`}
      doneAction={
        <Link to={paths.landing} className={buttonVariants({ variant: 'primary' })}>
          Return Home
        </Link>
      }
      onRetry={retry}
    />
  );
}

const address = { email: knownEmailAddress(), orgId: string().required() };

const verificationSchema = object({ ...address, verificationCode: string().required() });
const unsubscriptionSchema = object({ ...address, unsubscribeCode: string().required() });

/** Reads the query of a verification link; null if a value is missing or invalid. */
function verificationOf(query: URLSearchParams): InferType<typeof verificationSchema> | null {
  const given = Object.fromEntries(query);
  return verificationSchema.isValidSync(given)
    ? verificationSchema.cast(given, { stripUnknown: true })
    : null;
}

/** Reads the query of an unsubscribe link; null if a value is missing or invalid. */
function unsubscriptionOf(query: URLSearchParams): InferType<typeof unsubscriptionSchema> | null {
  const given = Object.fromEntries(query);
  return unsubscriptionSchema.isValidSync(given)
    ? unsubscriptionSchema.cast(given, { stripUnknown: true })
    : null;
}

import { Link, Navigate, useSearchParams } from 'react-router-dom';
import { endpoints, paths } from '@/paths';
import { SecretNote } from '@/shared-features/subscription/secret-note';
import { buttonVariants } from '@/ui/button-variants';
import { LinkPage } from './link-page';
import {
  unsubscriptionOf,
  verificationOf,
  type Unsubscription,
  type Verification,
} from './link-query';
import { useLinkCall } from './use-link-call';

export function VerifyPage() {
  const [query] = useSearchParams();
  const verification = verificationOf(query);
  if (verification === null) return <Navigate to={paths.landing} replace />;
  return <Verifying verification={verification} />;
}

const verifyTitles = {
  email: {
    running: 'Verifying Email',
    done: 'Email Verified!',
    failed: 'Verification Failed',
  },
  channel: {
    running: 'Confirming Subscription',
    done: 'Subscription Confirmed!',
    failed: 'Verification Failed',
  },
};

function Verifying({ verification }: { verification: Verification }) {
  const { email, orgId } = verification;
  const [progress, retry] = useLinkCall<{ secret: string } | null>({
    path: endpoints.subscribers.verify,
    body: verification,
    done: email ? 'Email verified successfully!' : 'Subscription confirmed',
    failed: email ? 'Unable to verify email' : 'Unable to confirm the subscription',
  });
  const secret = progress.status === 'done' && progress.data?.secret;
  return (
    <LinkPage
      orgId={orgId}
      progress={progress}
      titles={verifyTitles[email ? 'email' : 'channel']}
      done={email ? `Updates will be mailed to ${email}.` : 'Updates will be sent there.'}
      doneAction={secret && <SecretNote secret={secret} />}
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

function Unsubscribing({ unsubscription }: { unsubscription: Unsubscription }) {
  const { email, orgId } = unsubscription;
  const sent = email ? `mailed to ${email}` : 'sent';
  const [progress, retry] = useLinkCall({
    path: endpoints.subscribers.unsubscribe,
    body: unsubscription,
    done: 'Successfully unsubscribed!',
    failed: 'Unable to process unsubscribe request',
  });
  return (
    <LinkPage
      orgId={orgId}
      progress={progress}
      titles={{
        running: 'Processing Unsubscribe Request',
        done: 'Successfully Unsubscribed',
        failed: 'Unsubscribe Failed',
      }}
      done={`No more updates will be ${sent}. You can subscribe again on the status page.`}
      doneAction={
        <Link to={paths.landing} className={buttonVariants({ variant: 'primary' })}>
          Return Home
        </Link>
      }
      onRetry={retry}
    />
  );
}

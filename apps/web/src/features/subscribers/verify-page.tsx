import { Navigate, useSearchParams } from 'react-router-dom';
import { calls, paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { LinkPage } from './link-page';
import { verificationOf } from './link-query';
import { useLinkCall } from './use-link-call';

export function VerifyPage() {
  const [query] = useSearchParams();
  const verification = verificationOf(query);
  if (verification === null) return <Navigate to={paths.landing} replace />;
  return <Verifying verification={verification} />;
}

type Verification = NonNullable<ReturnType<typeof verificationOf>>;

function Verifying({ verification }: { verification: Verification }) {
  const [progress, retry] = useLinkCall({
    path: calls.subscribers.verify,
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

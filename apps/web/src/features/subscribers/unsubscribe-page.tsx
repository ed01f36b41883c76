import { Link, Navigate, useSearchParams } from 'react-router-dom';
import { calls, paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { LinkPage } from './link-page';
import { unsubscriptionOf } from './link-query';
import { useLinkCall } from './use-link-call';

export function UnsubscribePage() {
  const [query] = useSearchParams();
  const unsubscription = unsubscriptionOf(query);
  if (unsubscription === null) return <Navigate to={paths.landing} replace />;
  return <Unsubscribing unsubscription={unsubscription} />;
}

type Unsubscription = NonNullable<ReturnType<typeof unsubscriptionOf>>;

function Unsubscribing({ unsubscription }: { unsubscription: Unsubscription }) {
  const [progress, retry] = useLinkCall({
    path: calls.subscribers.unsubscribe,
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

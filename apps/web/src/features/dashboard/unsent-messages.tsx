import { Link } from 'react-router-dom';
import { useDeliveryCounts } from '@/api/use-delivery-counts';
import { paths } from '@/paths';
import { Alert } from '@/ui/alert';
import { formatCount } from '@/ui/format';

/**
 * Why messages wait for a retry, and why others failed; nothing without a reason. Mounted while
 * there are such messages.
 */
export function UnsentMessages() {
  const { data } = useDeliveryCounts();
  if (data === undefined) return null;
  const [waiting] = data.retrying;
  const [failure] = data.reasons;
  return (
    <>
      {waiting && data.waiting > 0 && (
        <Alert
          kind="warning"
          className="m-4 mt-0 wrap-anywhere"
          title={`${formatCount(data.waiting, 'message')} ${data.waiting === 1 ? 'waits' : 'wait'} to be sent: ${waiting.reason}`}
          action={
            <Link to={paths.subscribers} className="underline">
              Subscribers
            </Link>
          }
        />
      )}
      {failure && (
        <p className="px-4 pb-3 text-sm wrap-anywhere text-muted">
          Most frequent reason of failures: {failure.reason}
        </p>
      )}
    </>
  );
}

import { useMemo } from 'react';
import { useParams } from 'react-router-dom';
import { followEventStream } from '@/features/status-page/event-stream';
import { followSocket } from '@/features/status-page/follow-socket';
import { StatusPage } from '@/features/status-page/status-page';
import { SubscribeButton } from '@/features/status-page/subscribe/subscribe-button';
import { useRealtime } from '@/realtime/realtime';

/** The public page within the app; from elsewhere the server answers it as a page of its own. */
export function StatusScreen() {
  const { orgId = '' } = useParams();
  const connection = useRealtime();
  const follow = useMemo(
    () =>
      // The app's socket is in its own organisation's room: any other's page is as for everybody.
      connection?.orgId === orgId
        ? followSocket(() => ({ connection, close: () => undefined }))
        : followEventStream,
    [connection, orgId],
  );
  return (
    <StatusPage
      key={orgId}
      orgId={orgId}
      follow={follow}
      actions={<SubscribeButton orgId={orgId} />}
    />
  );
}

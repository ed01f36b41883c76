import { useEffect, useMemo } from 'react';
import { useParams } from 'react-router-dom';
import { loadCodeOrReload } from '@/api/load-code';
import { withAnnouncer } from '@/features/status-page/connection-announcer';
import { followEventStream } from '@/features/status-page/event-stream';
import { followSocket } from '@/features/status-page/follow-socket';
import { IconSprite } from '@/features/status-page/icon-sprite';
import { StatusPage } from '@/features/status-page/status-page';
import { closeWhenLeft } from '@/features/status-page/subscribe/close-when-left';
import { SubscribeButton } from '@/features/status-page/subscribe/subscribe-button';
import { useRealtime } from '@/realtime/realtime';

const loadDialog = () =>
  loadCodeOrReload(
    async () => (await import('@/features/status-page/subscribe/subscribe-dialog')).SubscribeDialog,
  );

/** The status page within the app. Other links load it as a separate page from the server. */
export function StatusScreen() {
  const { orgId = '' } = useParams();
  const connection = useRealtime();
  const follow = useMemo(
    () =>
      withAnnouncer(
        // The app's socket receives the events of its own organisation only.
        connection?.orgId === orgId
          ? followSocket(() => ({ connection, close: () => undefined }))
          : followEventStream,
      ),
    [connection, orgId],
  );
  useEffect(() => {
    const left = new AbortController();
    closeWhenLeft(document, { signal: left.signal });
    return () => left.abort();
  }, []);
  return (
    <>
      <IconSprite />
      <StatusPage
        key={orgId}
        orgId={orgId}
        follow={follow}
        actions={<SubscribeButton loadDialog={loadDialog} />}
      />
    </>
  );
}

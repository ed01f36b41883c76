import { storeLastSessionHint } from '@/auth/last-session-hint';
import { loadSession } from '@/auth/load-session';
import { followEventStream, type Follow } from '@/features/status-page/event-stream';
import { followSocket } from '@/features/status-page/follow-socket';
import { Connection } from '@/realtime/connection';

/** Chooses the socket for a user who is signed in with an organisation, otherwise the event stream. */
export async function chooseFollow(): Promise<Follow> {
  const visitor = await loadSession();
  if (visitor === null) {
    storeLastSessionHint(false);
    return followEventStream;
  }
  return followSocket((orgId) => {
    const connection = new Connection(orgId, visitor.getToken);
    return { connection, close: connection.start() };
  });
}

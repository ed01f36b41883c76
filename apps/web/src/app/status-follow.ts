import { storeLastSessionHint } from '@/auth/last-session-hint';
import { loadSession } from '@/auth/load-session';
import { withAnnouncer } from '@/features/status-page/connection-announcer';
import { followEventStream, type Follow } from '@/features/status-page/event-stream';
import { followSocket } from '@/features/status-page/follow-socket';
import { Connection } from '@/realtime/connection';

/** The page does not wait longer for an identity provider. */
const sessionTimeoutMs = 5000;

/**
 * Chooses the socket for a user who is signed in with an organisation, otherwise the event stream:
 * also for a session that is not loaded in time.
 */
export async function chooseFollow(): Promise<Follow> {
  const timeout = new Promise<Follow>((resolve) => {
    setTimeout(() => resolve(followEventStream), sessionTimeoutMs);
  });
  return withAnnouncer(await Promise.race([chooseBySession(), timeout]));
}

async function chooseBySession(): Promise<Follow> {
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

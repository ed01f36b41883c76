import { leaveTrace } from '@/auth/signed-in-trace';
import { loadVisitor } from '@/auth/visitor';
import { followEventStream, type Follow } from '@/features/status-page/event-stream';
import { followSocket } from '@/features/status-page/follow-socket';
import { Connection } from '@/realtime/connection';

/** By the socket when somebody is signed in with an organisation, otherwise by the event stream. */
export async function chooseFollow(): Promise<Follow> {
  const visitor = await loadVisitor();
  if (visitor === null) {
    leaveTrace(false);
    return followEventStream;
  }
  return followSocket((orgId) => {
    const connection = new Connection(orgId, visitor.getToken);
    return { connection, close: connection.start() };
  });
}

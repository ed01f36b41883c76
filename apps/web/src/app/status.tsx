import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { hasTrace } from '@/auth/signed-in-trace';
import { followEventStream, followLater, type Follow } from '@/features/status-page/event-stream';
import { readSnapshot } from '@/features/status-page/snapshot';
import { StatusPage } from '@/features/status-page/status-page';
import { SubscribeButton } from '@/features/status-page/subscribe/subscribe-button';
import { TakenOver } from './taken-over';

const root = document.getElementById('root');
if (root === null) throw new Error('status.html has no #root');

const [, , orgId = ''] = window.location.pathname.split('/');
const snapshot = readSnapshot(document);
// The development server writes no snapshot into the page: there it is asked for.
const isAskedFor = import.meta.env.DEV && snapshot === null;

/** A stranger never loads what it takes to find out who is there, nor the socket. */
const follow = hasTrace() ? followLater(chooseFollow) : followEventStream;

async function chooseFollow(): Promise<Follow> {
  try {
    return await (await import('./status-follow')).chooseFollow();
  } catch (error) {
    console.error(error);
    return followEventStream;
  }
}

const page = (
  <StrictMode>
    <StatusPage
      orgId={orgId}
      follow={follow}
      actions={<SubscribeButton standalone orgId={orgId} />}
      {...(!isAskedFor && { snapshot })}
    />
    <TakenOver />
  </StrictMode>
);
// What the server has written is taken over as it stands, piece by piece, so that a slow phone heeds its reader meanwhile;
// the development server writes nothing.
startTransition(() => {
  if (root.firstElementChild) hydrateRoot(root, page);
  else createRoot(root).render(page);
});

import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { hasLastSessionHint } from '@/auth/last-session-hint';
import { followEventStream, followLater, type Follow } from '@/features/status-page/event-stream';
import { readSnapshot } from '@/features/status-page/snapshot';
import { StatusPage } from '@/features/status-page/status-page';
import { SubscribeButton } from '@/features/status-page/subscribe/subscribe-button';
import { HydrationDone } from './hydration-done';

const root = document.getElementById('root');
if (root === null) throw new Error('status.html has no #root');

const [, , orgId = ''] = window.location.pathname.split('/');
const snapshot = readSnapshot(document);
// The development server embeds no snapshot, so the page requests it.
const isAskedFor = import.meta.env.DEV && snapshot === null;

/** Without the hint, the code of sign-in and socket is never loaded. */
const follow = hasLastSessionHint() ? followLater(chooseFollow) : followEventStream;

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
    <HydrationDone />
  </StrictMode>
);
// What the server has written is taken over as it stands, piece by piece, so that a slow phone heeds its reader meanwhile;
// the development server writes nothing.
startTransition(() => {
  if (root.firstElementChild) hydrateRoot(root, page);
  else createRoot(root).render(page);
});

import { StrictMode, startTransition, type ReactNode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { hasLastSessionHint } from '@/auth/last-session-hint';
import { followEventStream, followLater, type Follow } from '@/features/status-page/event-stream';
import { readSnapshot } from '@/features/status-page/snapshot';
import { StatusView } from '@/features/status-page/status-view';
import { SubscribeButton } from '@/features/status-page/subscribe/subscribe-button';
import { HydrationDone } from './hydration-done';

const root = document.getElementById('root');
if (root === null) throw new Error('status.html has no #root');

const snapshot = readSnapshot(document);
/** On the domain of an organisation the path does not name it. */
const orgId = snapshot?.organisation.id ?? window.location.pathname.split('/')[2] ?? '';
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

const actions = <SubscribeButton standalone orgId={orgId} />;

/** The page of an organisation. Few visitors see another one, so its code is loaded on demand. */
async function choosePage(): Promise<ReactNode> {
  if (snapshot) return <StatusView snapshot={snapshot} follow={follow} actions={actions} />;
  const { StatusPage } = await import('@/features/status-page/status-page');
  // The development server embeds no snapshot, so the page requests it.
  const given = import.meta.env.DEV ? undefined : { snapshot };
  return <StatusPage orgId={orgId} follow={follow} actions={actions} {...given} />;
}

const page = (
  <StrictMode>
    {await choosePage()}
    <HydrationDone />
  </StrictMode>
);
// What the server has written is taken over as it stands, piece by piece, so that a slow phone heeds its reader meanwhile;
// the development server writes nothing.
startTransition(() => {
  if (root.firstElementChild) hydrateRoot(root, page);
  else createRoot(root).render(page);
});

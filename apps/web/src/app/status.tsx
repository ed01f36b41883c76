import { StrictMode, startTransition, type ReactNode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { ApiError } from '@/api/error';
import { backoffMs } from '@/api/retry';
import { hasLastSessionHint } from '@/auth/last-session-hint';
import { followEventStream, followLater, type Follow } from '@/features/status-page/event-stream';
import { completeSprite } from '@/features/status-page/icon-sprite';
import { fetchDrawn, readDrawn, type DrawnPage } from '@/features/status-page/snapshot';
import { StatusView } from '@/features/status-page/status-view';
import { SubscribeButton } from '@/features/status-page/subscribe/subscribe-button';
import { HydrationDone } from './hydration-done';

const root = document.getElementById('root');
if (root === null) throw new Error('status.html has no #root');

completeSprite(document);
const drawn = readDrawn(document);
/** On the domain of an organisation the path does not name it. */
const orgId = drawn?.orgId ?? window.location.pathname.split('/')[2] ?? '';
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

/** The page, and whether it is what the server has drawn. Few visitors see an unknown one, so its code is loaded on demand. */
async function choosePage(): Promise<[page: ReactNode, isDrawn: boolean]> {
  const read = drawn && (await readUntilKnown(drawn));
  if (read) {
    const { state, isDrawn } = read;
    return [<StatusView snapshot={state} follow={follow} actions={actions} />, isDrawn];
  }
  const { StatusPage } = await import('@/features/status-page/status-page');
  // The development server draws nothing, so the page requests its state.
  const given = import.meta.env.DEV ? undefined : { snapshot: null };
  const page = <StatusPage orgId={orgId} follow={follow} actions={actions} {...given} />;
  return [page, drawn === null];
}

/** Returns null if the organisation is gone. Until the state is known, the page stays as the server has drawn it. */
async function readUntilKnown(page: DrawnPage) {
  for (let failures = 1; ; failures += 1) {
    try {
      return await fetchDrawn(page);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      await new Promise((resolve) => setTimeout(resolve, backoffMs(failures)));
    }
  }
}

const [content, isDrawn] = await choosePage();
const page = (
  <StrictMode>
    {content}
    <HydrationDone />
  </StrictMode>
);
// What the server has drawn is taken over as it stands, piece by piece, so that a slow phone heeds its reader meanwhile. Where
// the state has changed since, or the development server has drawn nothing, the page is drawn again.
startTransition(() => {
  if (isDrawn && root.firstElementChild) hydrateRoot(root, page);
  else createRoot(root).render(page);
});

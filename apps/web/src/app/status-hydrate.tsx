import { startTransition, useEffect } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import type { Follow } from '@/features/status-page/event-stream';
import { followLater } from '@/features/status-page/follow-later';
import { completeSprite } from '@/features/status-page/complete-sprite';
import type { StartedPage } from '@/features/status-page/starter/started-page';
import { StatusView } from '@/features/status-page/status-view';
import { SubscribeButton } from '@/features/status-page/subscribe/subscribe-button';

/** Continues a page that status-starter.ts has started. Resolves once React handles the input. */
export async function hydrate(started: StartedPage): Promise<void> {
  const root = document.getElementById('root');
  if (root === null) throw new Error('status.html has no #root');
  const { state, isDrawn, readAt } = await started.state;
  completeSprite(document);
  const start = { connection: started.stop(), readAt };
  const follow = started.maybeSignedIn ? followLater(() => chooseFollow(started)) : started.follow;
  const actions = (
    <SubscribeButton standalone loadDialog={() => started.loadCode(importSubscribeDialog)} />
  );
  await new Promise<void>((done) => {
    const page = (
      <>
        <StatusView
          snapshot={state}
          follow={follow}
          fetchSnapshot={started.fetchSnapshot}
          start={start}
          actions={actions}
        />
        <Done onDone={done} />
      </>
    );
    // React hydrates the page in small steps, so that a slow phone stays responsive. If the state
    // has changed since the page was drawn, the page is drawn again.
    startTransition(() => {
      if (isDrawn) hydrateRoot(root, page);
      else createRoot(root).render(page);
    });
  });
}

const importSubscribeDialog = () =>
  import('@/features/status-page/subscribe/standalone-subscribe-dialog').then(
    (it) => it.StandaloneSubscribeDialog,
  );

/** Without a hint of a session, the code of sign-in and socket is never loaded. */
function chooseFollow({ follow }: StartedPage): Promise<Follow> {
  return import('./status-follow')
    .then((it) => it.chooseFollow())
    .catch((error: unknown) => {
      console.error(error);
      return follow;
    });
}

/** Says that React handles the input from now on. */
function Done({ onDone }: { onDone: () => void }) {
  useEffect(onDone, [onDone]);
  return null;
}

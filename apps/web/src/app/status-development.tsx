import { createRoot } from 'react-dom/client';
import { StatusPage } from '@/features/status-page/status-page';
import { IconSprite } from '@/features/status-page/icon-sprite';
import { closeWhenLeft } from '@/features/status-page/subscribe/close-when-left';
import { SubscribeButton } from '@/features/status-page/subscribe/subscribe-button';

const importDialog = async () =>
  (await import('@/features/status-page/subscribe/standalone-subscribe-dialog'))
    .StandaloneSubscribeDialog;

/** Draws the page of an organisation that the development server has not drawn. */
export function drawPage(root: HTMLElement): void {
  const orgId = window.location.pathname.split('/')[2] ?? '';
  closeWhenLeft(document);
  createRoot(root).render(
    <>
      <IconSprite />
      <StatusPage
        orgId={orgId}
        actions={<SubscribeButton standalone loadDialog={importDialog} />}
      />
    </>,
  );
}

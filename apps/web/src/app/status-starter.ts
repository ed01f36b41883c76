import { hasLastSessionHint } from '@/auth/last-session-hint';
import { FailedResponse, readDrawn } from '@/features/status-page/snapshot';
import { rememberGroups } from '@/features/status-page/starter/group-choice';
import { applyLaterStyle } from '@/features/status-page/starter/later-style';
import { LivePage } from '@/features/status-page/starter/live-page';
import type { StartedPage } from '@/features/status-page/starter/started-page';
import { followThemeSwitch } from '@/features/status-page/starter/theme-switch';
import { closeWhenLeft } from '@/features/status-page/subscribe/close-when-left';

/*
 * The first script of the status page. It keeps the page live as the server has drawn it, and loads
 * React at the first event and at the first input that needs React: see
 * docs/decisions/react-loads-on-demand.md.
 */

/** Until React handles the input. */
const starting = new AbortController();

async function loadReact(page: StartedPage): Promise<void> {
  // Some browsers never request a module again once it could not be loaded, so the files are in the
  // browser's cache by then.
  await Promise.all(STATUS_FILES.map(readFile));
  const { hydrate } = await import('./status-hydrate');
  await hydrate(page);
  starting.abort();
}

async function readFile(path: string): Promise<void> {
  const response = await fetch(path);
  if (!response.ok) throw new FailedResponse(response);
  await response.arrayBuffer();
}

function start(): void {
  const { signal } = starting;
  followThemeSwitch(document, signal);
  rememberGroups(document, signal);
  // Also after React has taken over.
  closeWhenLeft(document);
  const drawn = readDrawn(document);
  // Nothing changes on the page of an unknown organisation.
  if (drawn) new LivePage(drawn, hasLastSessionHint(), loadReact);
  document.documentElement.dataset.ready = '';
  applyLaterStyle(document);
}

async function drawInDevelopment(): Promise<void> {
  const root = document.getElementById('root');
  if (root) (await import('./status-development')).drawPage(root);
}

if (import.meta.env.DEV) void drawInDevelopment();
else if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();

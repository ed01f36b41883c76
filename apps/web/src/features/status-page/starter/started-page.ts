import type { Connection } from '@/features/status-page/connection';
import type { Follow } from '@/features/status-page/event-stream';
import type { PageState } from '@/features/status-page/page-state';

export interface StartedState {
  state: PageState;
  /** Whether it is what the server has drawn. */
  isDrawn: boolean;
  /** When it was read, by the clock of the viewer in milliseconds. */
  readAt: number;
}

/** A page that its first script keeps live until React takes it over. */
export interface StartedPage {
  orgId: string;
  /** Resolves once the server was reached. */
  state: Promise<StartedState>;
  /** Whether the visitor may be signed in. Then nothing has been opened yet. */
  maybeSignedIn: boolean;
  /** Follows the changes; hands over the stream that is open. */
  follow: Follow;
  /** Ends what the first script changes on the page. React must draw it as it is then. */
  stop: () => Connection;
}

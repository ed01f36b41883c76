import type { ConnectionState } from '@/features/status-page/connection-state';
import type { Follow } from '@/features/status-page/event-stream';
import type { PageState } from '@/features/status-page/page-state';
import type { FetchSnapshot } from '@/features/status-page/snapshot';

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
  /** Resolves once the server has responded. */
  state: Promise<StartedState>;
  /** Whether the visitor may be signed in. Then no event stream is open. */
  maybeSignedIn: boolean;
  /** Follows the changes. Hands over the event stream if it is open. */
  follow: Follow;
  fetchSnapshot: FetchSnapshot;
  /** Loads the code of a control. If the files of this version are gone, loads the page again. */
  loadCode: <T>(load: () => Promise<T>) => Promise<T>;
  /**
   * Stops the changes that the first script makes to the page. React must draw the page as it
   * is then.
   */
  stop: () => ConnectionState;
}

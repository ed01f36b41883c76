import { createContext, use } from 'react';
import type { Channel, PublicIncident } from '@/api/types';
import type { PageState } from '@/features/status-page/page-state';

/** The subscription that a control of the page offers. */
export interface SubscribeRequest {
  /** The only channel; by default mail if it is offered, otherwise the visitor chooses. */
  channel?: Channel;
  /** The only incident to follow. */
  incident?: Pick<PublicIncident, 'id' | 'title'>;
}

interface Subscribe {
  state: PageState;
  request: SubscribeRequest;
  isOpen: boolean;
  /** Opens the dialog. */
  open: (request: SubscribeRequest) => void;
  close: () => void;
}

// No default: StatusView always provides it, and a message for a missing one would enlarge the
// page's script.
export const SubscribeContext = createContext<Subscribe>(undefined as never);

/** The dialog of the page, which `SubscribeButton` draws and several controls open. */
export const useSubscribe = () => use(SubscribeContext);

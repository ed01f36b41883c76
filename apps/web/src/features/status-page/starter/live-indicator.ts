import { formatInstant, timeOfDay } from '@/ui/datetime';
import {
  connectionTexts,
  timeZoneText,
  type ConnectionState,
} from '@/features/status-page/connection-state';

/**
 * Writes whether the page is live, as status-view.tsx does. New elements are no layout shift,
 * changed texts are.
 */
export function showConnection(page: ParentNode, { status, asOf }: ConnectionState): void {
  const [mark, text] = page.querySelectorAll<HTMLElement>('.live > *');
  if (mark) mark.dataset.connection = status;
  const next = document.createElement('span');
  next.append(connectionTexts[status]);
  if (status === 'reconnecting') {
    const time = document.createElement('time');
    time.dateTime = asOf;
    time.title = formatInstant(asOf);
    time.textContent = timeOfDay(asOf);
    next.append(time);
  }
  // A screen reader, or a selection, may be at the text.
  if (!text?.isEqualNode(next)) text?.replaceWith(next);
}

/** Names the time zone of the times. */
export function showTimeZone(page: ParentNode): void {
  const next = document.createElement('p');
  next.textContent = timeZoneText();
  page.querySelector('.live + p')?.replaceWith(next);
}

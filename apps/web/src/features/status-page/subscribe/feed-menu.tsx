import { useRef } from 'react';
import type { Channel } from '@/api/types';
import { publicFeeds } from '@/public-paths';
import { channelNames } from '@/shared-features/subscription/channels';
import { useSubscribe } from './subscribe-context';

/**
 * Ways to subscribe besides mail: the other channels, and the feeds. The menu opens without script;
 * close-when-left.ts closes it.
 */
export function FeedMenu() {
  const { state, open } = useSubscribe();
  const { url, channels } = state.organisation;
  const menu = useRef<HTMLDetailsElement>(null);
  const path = new URL(url).pathname;
  // A page with a domain is also at the installation's address, where the domain's paths do
  // not exist.
  const base = path === '/' ? url : path;
  // Programs subscribe to a calendar with this scheme; with another one they import it once.
  const calendarBase = url.startsWith('https') ? url.replace('https', 'webcal') : base;

  function subscribe(channel: Channel) {
    if (menu.current) {
      menu.current.open = false;
      // The focus returns to it after the dialog, when the pressed button is hidden.
      menu.current.querySelector('summary')?.focus();
    }
    open({ channel });
  }

  return (
    <details ref={menu} className="feeds">
      <summary className="button">Other Channels</summary>
      <ul>
        {channels
          .filter((channel) => channel !== 'email')
          .map((channel) => (
            <li key={channel}>
              <button aria-haspopup="dialog" onClick={() => subscribe(channel)}>
                {channelNames[channel]}
              </button>
            </li>
          ))}
        {publicFeeds.map(([feed, name]) => (
          <li key={feed}>
            <a href={(feed.endsWith('.ics') ? calendarBase : base) + feed}>{name}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

import { useEffect, useRef } from 'react';
import type { Channel } from '@/api/types';
import { publicFeeds } from '@/public-paths';
import { channelNames } from '@/shared-features/subscription/channels';
import { useSubscribe } from './subscribe-context';
import { closeWhenLeft } from './close-when-left';

/**
 * Ways to subscribe besides mail: the other channels, and the feeds. The menu opens without script;
 * the script closes it.
 */
export function FeedMenu() {
  const { state, open } = useSubscribe();
  const { url, channels } = state.organisation;
  const menu = useRef<HTMLDetailsElement>(null);
  const path = new URL(url).pathname;
  // A page with a domain is also at the installation's address, where the domain's paths do
  // not exist.
  const base = path === '/' ? url : path;
  useEffect(() => {
    const left = new AbortController();
    if (menu.current) closeWhenLeft(menu.current, left.signal);
    return () => left.abort();
  }, []);

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
            <a href={base + feed}>{name}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

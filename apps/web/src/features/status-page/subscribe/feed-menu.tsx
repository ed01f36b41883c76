import { useEffect, useRef } from 'react';
import { publicFeeds } from '@/public-paths';
import { closeWhenLeft } from './close-when-left';

/** Ways to subscribe besides mail. The menu opens without script; the script closes it. `url` is the address of the page. */
export function FeedMenu({ url }: { url: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const base = new URL(url).pathname.replace(/\/$/, '');
  useEffect(() => {
    const left = new AbortController();
    if (menu.current) closeWhenLeft(menu.current, left.signal);
    return () => left.abort();
  }, []);
  return (
    <details ref={menu} className="feeds">
      <summary className="button">Feeds</summary>
      <ul>
        {publicFeeds.map(([path, name]) => (
          <li key={path}>
            <a href={base + path}>{name}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

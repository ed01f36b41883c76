import { useEffect, useRef } from 'react';
import { publicFeeds } from '@/public-paths';

/** Ways to subscribe besides mail. The menu opens without script; the script closes it. `url` is the address of the page. */
export function FeedMenu({ url }: { url: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const base = new URL(url).pathname.replace(/\/$/, '');
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    document.addEventListener('pointerdown', ({ target }) => close(menu.current, target), {
      signal,
    });
    document.addEventListener('focusin', ({ target }) => close(menu.current, target), { signal });
    document.addEventListener(
      'keydown',
      ({ key }) => {
        if (key !== 'Escape' || !menu.current?.open) return;
        menu.current.open = false;
        menu.current.querySelector('summary')?.focus();
      },
      { signal },
    );
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

/** Closes the menu after something outside of it was pressed or focused. */
function close(menu: HTMLDetailsElement | null, target: EventTarget | null): void {
  if (menu?.open && target instanceof Node && !menu.contains(target)) menu.open = false;
}

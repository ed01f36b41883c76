import symbols from 'virtual:icon-symbols';

/** All icons of the status page. The app draws them, because only the server's drawing of the page contains icons. */
export function IconSprite() {
  return <div hidden dangerouslySetInnerHTML={{ __html: `<svg>${symbols}</svg>` }} />;
}

/** Adds the icons that the server has left out of the page, because nothing on it showed them. */
export function completeSprite(page: Document): void {
  const sprite = page.querySelector('body > svg[hidden]');
  if (sprite) sprite.innerHTML = symbols;
}

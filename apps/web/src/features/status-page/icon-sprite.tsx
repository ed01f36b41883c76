import symbols from 'virtual:icon-symbols';

/**
 * All icons of the status page. The app draws them, because only the server's drawing of the page
 * contains icons.
 */
export function IconSprite() {
  return <div hidden dangerouslySetInnerHTML={{ __html: `<svg>${symbols}</svg>` }} />;
}

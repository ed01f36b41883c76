import symbols from 'virtual:icon-symbols';

/** Adds the icons that the server has left out of the page, because nothing on it showed them. */
export function completeSprite(page: Document): void {
  const sprite = page.querySelector('body > svg[hidden]');
  if (sprite) sprite.innerHTML = symbols;
}

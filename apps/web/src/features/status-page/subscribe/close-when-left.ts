/**
 * Closes the menu of feeds when something outside of it is pressed or focused, and by Escape. The
 * menu may be drawn again meanwhile.
 */
export function closeWhenLeft(page: Document, options: { signal?: AbortSignal } = {}): void {
  const openMenu = () => page.querySelector<HTMLDetailsElement>('.feeds[open]');
  const leave = ({ target }: Event) => {
    const menu = openMenu();
    if (menu && target instanceof Node && !menu.contains(target)) menu.open = false;
  };
  page.addEventListener('pointerdown', leave, { ...options, capture: true });
  page.addEventListener('focusin', leave, { ...options, capture: true });
  page.addEventListener(
    'keydown',
    ({ key }) => {
      const menu = key === 'Escape' && openMenu();
      if (!menu) return;
      menu.open = false;
      menu.querySelector('summary')?.focus();
    },
    options,
  );
}

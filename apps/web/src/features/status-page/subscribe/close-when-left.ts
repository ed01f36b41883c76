/**
 * Closes a menu when something outside of it is pressed or focused, and by Escape, until `signal`
 * is aborted.
 */
export function closeWhenLeft(menu: HTMLDetailsElement, signal: AbortSignal): void {
  const leave = ({ target }: Event) => {
    if (target instanceof Node && !menu.contains(target)) menu.open = false;
  };
  document.addEventListener('pointerdown', leave, { capture: true, signal });
  document.addEventListener('focusin', leave, { capture: true, signal });
  document.addEventListener(
    'keydown',
    ({ key }) => {
      if (key !== 'Escape' || !menu.open) return;
      menu.open = false;
      menu.querySelector('summary')?.focus();
    },
    { signal },
  );
}

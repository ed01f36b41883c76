import { chooseGroup } from '@/features/status-page/open-groups';

/**
 * Stores which groups the visitor opens and closes, as component-group.tsx does, until `signal`
 * is aborted.
 */
export function rememberGroups(page: Document, signal: AbortSignal): void {
  const groups = page.querySelectorAll<HTMLDetailsElement>('[data-group]');
  const shown = new Map([...groups].map((group) => [group, group.open]));
  page.addEventListener(
    'toggle',
    ({ target }) => {
      // Browsers report also that a group was open when the page was parsed.
      if (!(target instanceof HTMLDetailsElement) || shown.get(target) !== !target.open) return;
      shown.set(target, target.open);
      chooseGroup(target.dataset.group ?? '', target.open);
    },
    { capture: true, signal },
  );
}

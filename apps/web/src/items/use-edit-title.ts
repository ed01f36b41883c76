import { useMay } from '@/auth/permissions';
import { usePageTitle } from '@/ui/use-page-title';

/**
 * Returns the title of the screen of one item. In the document's title the item's name, which is
 * undefined while it is loading, comes before it.
 */
export function useEditTitle(noun: string, name: string | undefined): string {
  const title = useMay('write') ? `Edit ${noun}` : noun;
  usePageTitle(name === undefined ? title : `${name} · ${title}`);
  return title;
}

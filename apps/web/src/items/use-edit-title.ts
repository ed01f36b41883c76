import { useMay } from '@/auth/permissions';
import { usePageTitle } from '@/ui/use-page-title';

/** The title of the screen of one item, which is also the document's. */
export function useEditTitle(noun: string): string {
  const title = useMay('write') ? `Edit ${noun}` : noun;
  usePageTitle(title);
  return title;
}

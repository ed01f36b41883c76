import type { ComponentProps } from 'react';
import type { List } from '@/api/use-list';
import { Button } from './button';

interface ShowOlderProps extends Pick<ComponentProps<typeof Button>, 'size' | 'className'> {
  list: Pick<List<unknown>, 'hasOlder' | 'isLoadingOlder' | 'showOlder'>;
}

/** The button that shows older rows of a list; nothing if there are none. */
export function ShowOlder({ list, ...style }: ShowOlderProps) {
  if (!list.hasOlder) return null;
  return (
    <Button {...style} pending={list.isLoadingOlder} onClick={list.showOlder}>
      Show Older
    </Button>
  );
}

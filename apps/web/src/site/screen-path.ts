import { matchPath } from 'react-router-dom';
import { routes } from '@/paths';
import table from '@/routes.txt?raw';

const screens = [...table.trimEnd().split('\n'), routes.status].map((path) =>
  path.replace(/\{(\w+)\}/g, ':$1'),
);

/**
 * Whether the app has a screen at a path. The server alone has pages at others, such as the history
 * of a status page.
 */
export function isScreenPath(path: string): boolean {
  return screens.some((screen) => matchPath(screen, path) !== null);
}

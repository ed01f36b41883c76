import type { RouteObject } from 'react-router-dom';
import { expect, it } from 'vitest';
import { routes as patterns } from '@/paths';
import table from '@/routes.txt?raw';
import { features } from './features';
import { routes } from './routes';

/** What the server serves by itself, and what the router shows for every other path. */
const notInTable = [patterns.status, '/*'];

/** The paths of routes with a screen, as the table writes them. */
function pathsOf(tree: RouteObject[], parent = ''): string[] {
  return tree.flatMap(({ path, index, children = [], Component, lazy }) => {
    const full =
      path === undefined || path.startsWith('/') ? (path ?? parent) : `${parent}/${path}`;
    const isScreen = (path !== undefined || index === true) && Boolean(Component ?? lazy);
    return [...(isScreen && children.length === 0 ? [full] : []), ...pathsOf(children, full)];
  });
}

/** The line of the table to which a path of the router belongs. */
function lineOf(path: string, lines: string[]): string {
  const written = path.replace(/:(\w+)/g, '{$1}');
  // Each text has its own route. The table has one row for all of them, so that a new text needs no
  // new row.
  const matching = lines.filter((line) =>
    new RegExp(`^${line.replace(/\{\w+\}/g, '[^/]+')}$`).test(written),
  );
  return matching.find((line) => line === written) ?? matching[0] ?? `${written} is missing`;
}

it('is the router’s: the route table names every screen, and nothing else', async () => {
  const loaded = await Promise.all(features.map(({ load }) => load()));
  const paths = pathsOf([...routes, ...loaded.flat()]).filter((path) => !notInTable.includes(path));
  const lines = table.trimEnd().split('\n');
  expect([...new Set(paths.map((path) => lineOf(path, lines)))].sort()).toEqual([...lines].sort());
});

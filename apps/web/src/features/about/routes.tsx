import type { RouteObject } from 'react-router-dom';
import { TextPage, type Text } from './text-page';

const texts = import.meta.glob<Text>('@docs/site/*.md', { import: 'default' });

/** Each Markdown file below docs/site is a page under its own name. */
export const aboutRoutes: RouteObject[] = Object.entries(texts).map(([file, load]) => ({
  path: file.replace(/^.*\/(.*)\.md$/, '/$1'),
  loader: load,
  Component: TextPage,
}));

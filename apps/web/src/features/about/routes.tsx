import type { RouteObject } from 'react-router-dom';
import { TextPage, type Text } from './text-page';

const texts = import.meta.glob<Text>('@content/*.md', { import: 'default' });

/** Each Markdown file in `content` is a page at its own name: `about.md` at `/about`. */
export const aboutRoutes: RouteObject[] = Object.entries(texts).map(([file, load]) => ({
  path: file.replace(/^.*\/(.*)\.md$/, '/$1'),
  loader: load,
  Component: TextPage,
}));

import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { BlogPage } from './blog-page';
import { entryLoaders } from './entries';
import { EntryPage } from './entry-page';

export const blogRoutes: RouteObject[] = [
  { path: paths.blog, Component: BlogPage },
  ...entryLoaders.map(({ slug, load }) => ({
    path: paths.blogEntry(slug),
    loader: load,
    Component: EntryPage,
  })),
];

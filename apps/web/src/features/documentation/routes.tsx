import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { DocumentationPage } from './documentation-page';

export const documentationRoutes: RouteObject[] = [
  { path: paths.documentation, Component: DocumentationPage },
];

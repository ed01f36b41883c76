import type { RouteObject } from 'react-router-dom';
import { loadCode } from '@/api/load-code';
import { paths } from '@/paths';
import { DocumentationLayout } from './documentation-layout';
import { GuidePage } from './guide-page';
import { guideRoutes } from './guides';
import { OverviewPage } from './overview-page';

export const documentationRoutes: RouteObject[] = [
  {
    path: paths.documentation,
    Component: DocumentationLayout,
    children: [
      { index: true, Component: OverviewPage },
      {
        path: 'api-reference',
        lazy: async () => ({
          Component: (await loadCode(() => import('./reference/reference-page'))).ReferencePage,
        }),
      },
      ...guideRoutes(GuidePage),
    ],
  },
];

import type { RouteObject } from 'react-router-dom';
import { loadCode } from '@/api/load-code';
import { WritersOnly } from '@/auth/permitted';
import { paths, routes } from '@/paths';
import { ComponentsPage } from './components-page';
import { CreateComponentPage } from './create-component-page';
import { EditComponentPage } from './edit-component-page';

export const componentRoutes: RouteObject[] = [
  { path: paths.components.list, Component: ComponentsPage },
  { path: routes.editComponent, Component: EditComponentPage },
  {
    Component: WritersOnly,
    children: [
      { path: paths.components.create, Component: CreateComponentPage },
      {
        path: paths.components.order,
        // A chunk of its own: drag and drop is large.
        lazy: async () => ({
          Component: (await loadCode(() => import('./order-page'))).OrderPage,
        }),
      },
    ],
  },
];

import type { PatchRoutesOnNavigationFunction, RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { groups, type Group } from './routes';

export interface Feature {
  /** This feature's screens are at this path and below it. */
  path: string;
  group: Group;
  load: () => Promise<RouteObject[]>;
}

/** Each is a chunk of its own, loaded when somebody goes there for the first time. */
export const features: readonly Feature[] = [
  {
    path: paths.landing,
    group: groups.signedOut,
    load: async () => (await import('@/features/landing/routes')).landingRoutes,
  },
  {
    path: paths.verify,
    group: groups.everyone,
    load: async () => (await import('@/features/subscribers/link-routes')).linkRoutes,
  },
  {
    path: paths.unsubscribe,
    group: groups.everyone,
    load: async () => (await import('@/features/subscribers/link-routes')).linkRoutes,
  },
  {
    path: paths.documentation,
    group: groups.everyone,
    load: async () => (await import('@/features/documentation/routes')).documentationRoutes,
  },
  ...[paths.about, paths.careers, paths.legal].map((path) => ({
    path,
    group: groups.everyone,
    load: async () => (await import('@/features/about/routes')).aboutRoutes,
  })),
  {
    path: paths.blog,
    group: groups.everyone,
    load: async () => (await import('@/features/blog/routes')).blogRoutes,
  },
  {
    path: paths.dashboard,
    group: groups.organisation,
    load: async () => (await import('@/features/dashboard/routes')).dashboardRoutes,
  },
  {
    path: paths.metrics,
    group: groups.organisation,
    load: async () => (await import('@/features/metrics/routes')).metricsRoutes,
  },
  {
    path: paths.components.list,
    group: groups.organisation,
    load: async () => (await import('@/features/components/routes')).componentRoutes,
  },
  {
    path: paths.incidents.list,
    group: groups.organisation,
    load: async () => (await import('@/features/incidents/routes')).incidentRoutes,
  },
  {
    path: paths.schedules.list,
    group: groups.organisation,
    load: async () => (await import('@/features/maintenances/routes')).maintenanceRoutes,
  },
  {
    path: paths.subscribers,
    group: groups.organisation,
    load: async () => (await import('@/features/subscribers/routes')).subscriberRoutes,
  },
];

/** Adds the screens of the feature that a path belongs to, before the router decides what is there. */
export const loadFeatures: PatchRoutesOnNavigationFunction = async ({ path, patch }) => {
  const feature = features.find((candidate) => owns(candidate.path, path));
  if (feature === undefined) return;
  patch(feature.group, await feature.load());
};

function owns(root: string, path: string): boolean {
  return path === root || (root !== '/' && path.startsWith(`${root}/`));
}

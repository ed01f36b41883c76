import type { PatchRoutesOnNavigationFunction, RouteObject } from 'react-router-dom';
import { loadCode } from '@/api/load-code';
import { paths } from '@/paths';
import { groups, type Group } from './groups';

export interface Feature {
  /** Path of the feature's screens, which may be below it. */
  path: string;
  group: Group;
  load: () => Promise<RouteObject[]>;
}

/** Each feature is a separate chunk, loaded on the first visit. */
export const features: readonly Feature[] = [
  {
    path: paths.landing,
    group: groups.signedOut,
    load: async () => (await import('@/features/landing/routes')).landingRoutes,
  },
  ...[paths.verify, paths.unsubscribe, paths.subscription].map((path) => ({
    path,
    group: groups.everyone,
    load: async () => (await import('@/features/subscribers/link-routes')).linkRoutes,
  })),
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
  {
    path: paths.audit,
    group: groups.organisation,
    load: async () => (await import('@/features/audit/routes')).auditRoutes,
  },
  {
    path: paths.settings,
    group: groups.organisation,
    load: async () => (await import('@/features/settings/routes')).settingsRoutes,
  },
];

/** Returns the feature that a path belongs to. */
export function featureOf(path: string): Feature | undefined {
  return features.find((candidate) => owns(candidate.path, path));
}

/** Adds the routes of the feature that a path belongs to, before the router matches the path. */
export const loadFeatures: PatchRoutesOnNavigationFunction = async ({ path, signal, patch }) => {
  const feature = featureOf(path);
  if (feature === undefined) return;
  try {
    patch(feature.group, await loadCode(feature.load));
  } catch (error) {
    // A later navigation does not fail with an earlier one.
    if (!signal.aborted) throw error;
  }
};

function owns(root: string, path: string): boolean {
  return path === root || (root !== '/' && path.startsWith(`${root}/`));
}

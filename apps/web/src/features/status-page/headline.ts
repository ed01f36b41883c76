import type { Banner, ComponentStatus, PublicComponent } from '@/api/types';
import { componentStyles, worstStatus } from '@/ui/status-styles';
import type { PageState } from './page-state';

export function isAffected({ status }: { status: ComponentStatus }): boolean {
  return status !== 'OPERATIONAL';
}

/** Returns the headline by the server's rule; null without components. */
export function headline(components: readonly PublicComponent[]): Banner | null {
  if (components.length === 0) return null;
  const operational = !components.some(isAffected);
  const text = operational ? 'All Systems Operational' : 'Some systems are experiencing issues';
  return { operational, text };
}

/** Returns the title of the document, as the server renders it. */
export function documentTitle({ organisation, components }: PageState): string {
  const banner = headline(components);
  return banner ? `${organisation.pageTitle}: ${banner.text}` : `${organisation.pageTitle} status`;
}

/** Returns the icon: of the worst status, otherwise of a maintenance in progress. */
export function favicon({ components, maintenances }: PageState): string {
  const worst = worstStatus(components);
  const maintained = maintenances.some(({ status }) => status === 'IN_PROGRESS');
  if (worst === 'OPERATIONAL' && maintained) return '/favicon-maintenance.svg';
  return components.length > 0 ? `/favicon-${componentStyles[worst].tone}.svg` : '/favicon.svg';
}

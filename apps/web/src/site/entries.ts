import { paths } from '@/paths';

export interface SiteEntry {
  label: string;
  to: string;
}

/** Sections of the landing page in its navigation. */
export const anchors = {
  documentation: 'documentation',
  resources: 'resources',
  requestPreview: 'request-preview',
  pricing: 'pricing',
} as const;

export const landingEntries: readonly SiteEntry[] = [
  { label: 'Documentation', to: `${paths.landing}#${anchors.documentation}` },
  { label: 'Resources', to: `${paths.landing}#${anchors.resources}` },
  { label: 'Request preview', to: `${paths.landing}#${anchors.requestPreview}` },
  { label: 'Pricing', to: `${paths.landing}#${anchors.pricing}` },
];

/** The navigation on other pages: signed-in users cannot see the landing page. */
export const siteEntries: readonly SiteEntry[] = [
  { label: 'Documentation', to: paths.documentation },
  { label: 'API reference', to: paths.apiReference },
  { label: 'Blog', to: paths.blog },
  { label: 'About', to: paths.about },
];

export const footerEntries: readonly SiteEntry[] = [
  { label: 'About', to: paths.about },
  { label: 'Blog', to: paths.blog },
  { label: 'Careers', to: paths.careers },
  { label: 'Legal', to: paths.legal },
];

import type { RouteObject } from 'react-router-dom';
import { loadCode } from '@/api/load-code';

interface GuideSummary {
  title: string;
  /** The first paragraph. */
  summary: string;
  sections: { id: string; title: string }[];
}

export interface Guide extends GuideSummary {
  html: string;
}

export interface GuideEntry extends GuideSummary {
  /** Address below that of the documentation. */
  slug: string;
}

interface GuideGroup {
  title: string;
  /** Anchor of the group on the overview. */
  id: string;
  entries: GuideEntry[];
}

const summaries = import.meta.glob<GuideSummary>(['@docs/*.md', '@docs/decisions/*.md'], {
  eager: true,
  query: '?summary',
  import: 'default',
});
const texts = {
  ...import.meta.glob<Guide>(['@docs/*.md', '@docs/decisions/*.md'], { import: 'default' }),
  ...import.meta.glob<Guide>('@docs/*.conf', { query: '?guide', import: 'default' }),
};

const entries = Object.entries(summaries).map(([path, summary]) => ({
  ...summary,
  slug: slugOf(path).replace(/\.md$/, ''),
}));

/** The order of the guides, which is that of the README. Guides without a place come last. */
const order: readonly Omit<GuideGroup & { slugs: readonly string[] }, 'entries'>[] = [
  {
    title: 'Start',
    id: 'start',
    slugs: ['quick-start', 'status-page', 'subscribers', 'own-domain'],
  },
  {
    title: 'Operate',
    id: 'operate',
    slugs: [
      'operating',
      'mail',
      'openid-connect',
      'clerk',
      'capacity',
      'many-nodes',
      'behind-a-cdn',
      'releases',
    ],
  },
  { title: 'Automate', id: 'build', slugs: ['automate', 'read-by-program', 'api', 'realtime'] },
  {
    title: 'Reference',
    id: 'reference',
    slugs: ['configuration', 'security', 'asvs', 'conformance', 'benchmarks'],
  },
  { title: 'Contribute', id: 'contribute', slugs: ['contributing', 'architecture'] },
];

const placed = new Set(order.flatMap(({ slugs }) => slugs));
const isDecision = ({ slug }: GuideEntry) => slug.startsWith('decisions/');

export const guideGroups: readonly GuideGroup[] = [
  ...order.map(({ title, id, slugs }) => ({
    title,
    id,
    entries: slugs.flatMap((slug) => entries.filter((entry) => entry.slug === slug)),
  })),
  {
    title: 'More',
    id: 'more',
    entries: entries.filter((entry) => !placed.has(entry.slug) && !isDecision(entry)),
  },
  { title: 'Decisions', id: 'decisions', entries: entries.filter(isDecision) },
].filter((group) => group.entries.length > 0);

/** Each guide is a screen whose text is loaded on the first visit. */
export function guideRoutes(Component: NonNullable<RouteObject['Component']>): RouteObject[] {
  return Object.entries(texts).map(([path, load]) => ({
    path: slugOf(path).replace(/\.md$/, ''),
    loader: () => loadCode(load),
    Component,
  }));
}

function slugOf(path: string): string {
  return path.replace(/^.*?docs\//, '');
}

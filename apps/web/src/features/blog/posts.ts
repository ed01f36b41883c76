interface Summary {
  title: string;
  summary: string;
}

export interface BlogPost extends Summary {
  html: string;
}

interface PostSummary extends Summary {
  slug: string;
  /** The day, as `2026-11-21`. */
  day: string;
}

const summaries = import.meta.glob<Summary>('@content/blog/*.md', {
  eager: true,
  query: '?summary',
  import: 'default',
});
const texts = import.meta.glob<BlogPost>('@content/blog/*.md', { import: 'default' });

/** Newest first. A file is named by its day and its address: `2026-11-21-the-first-version.md`. */
export const postSummaries: readonly PostSummary[] = Object.entries(summaries)
  .map(([path, summary]) => ({ ...summary, slug: slugOf(path), day: dayOf(slugOf(path)) }))
  .sort((one, other) => other.slug.localeCompare(one.slug));

export const postLoaders = Object.entries(texts).map(([path, load]) => ({
  slug: slugOf(path),
  load,
}));

export function dayOf(slug: string): string {
  return slug.slice(0, 10);
}

function slugOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.md$/, '');
}

import type { MouseEvent } from 'react';

/** The titles of the sections, by the ids of their cards. */
const titles = {
  general: 'General',
  page: 'Page',
  subscribers: 'Subscribers',
  domain: 'Domain',
  integrations: 'Integrations',
  people: 'People',
  'api-keys': 'API keys',
  'audit-log': 'Audit log',
} as const;

export type SectionId = keyof typeof titles;

/** Leads to the sections of the screen: beside them on wide windows, above them on narrow ones. */
export function SectionNav({ sections }: { sections: readonly SectionId[] }) {
  return (
    <nav aria-label="Sections" className="xl:sticky xl:top-18">
      <ul className="-mx-2 flex flex-wrap xl:grid">
        {sections.map((id) => (
          <li key={id}>
            <a
              href={`#${id}`}
              onClick={(event) => goTo(event, id)}
              className="flex h-8 items-center rounded-md px-2 text-sm text-muted transition-colors hover:bg-hover hover:text-ink pointer-coarse:h-11"
            >
              {titles[id]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** No navigation: that would ask whether the unsaved changes may be lost. */
function goTo(event: MouseEvent, id: SectionId) {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const section = document.getElementById(id);
  section?.focus({ preventScroll: true });
  section?.scrollIntoView();
}

import { headline, isAffected } from './headline';
import { PageIcon } from './page-parts';
import { isOver, type PageState } from './page-state';
import { several } from './uptime';

/** The headline of the page; nothing without components. */
export function StatusBanner({ state }: { state: PageState }) {
  const banner = headline(state.components);
  return (
    banner && (
      <section
        aria-label="Current status"
        className="headline"
        data-tone={banner.operational ? 'operational' : 'degraded'}
      >
        <span>
          <PageIcon name={banner.operational ? 'circle-check' : 'triangle-alert'} />
        </span>
        <div>
          <p className="title">{banner.text}</p>
          <p>{extent(state)}</p>
        </div>
      </section>
    )
  );
}

/** How many components are affected, and how many incidents are open. */
function extent({ components, incidents }: PageState): string {
  const affected = components.filter(isAffected).length;
  const all = components.length;
  const open = several(incidents.filter((incident) => !isOver(incident)).length, 'open incident');
  const text =
    affected === 0
      ? all === 1
        ? '1 component, operational'
        : `All ${all} components are operational`
      : `${affected} of ${several(all, 'component')} affected`;
  return text + (open && ` · ${open}`);
}

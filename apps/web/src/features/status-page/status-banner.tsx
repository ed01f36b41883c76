import type { PublicComponent } from '@/api/types';
import { headline, isAffected } from './headline';
import { PageIcon } from './page-parts';

/** The headline of the page; nothing without components. */
export function StatusBanner({ components }: { components: readonly PublicComponent[] }) {
  const banner = headline(components);
  if (banner === null) return null;
  return (
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
        <p>{extent(components)}</p>
      </div>
    </section>
  );
}

function extent(components: readonly PublicComponent[]): string {
  const affected = components.filter(isAffected).length;
  const all = components.length;
  if (affected === 0)
    return all === 1 ? '1 component, operational' : `All ${all} components are operational`;
  return `${affected} of ${all} ${all === 1 ? 'component' : 'components'} affected`;
}

import CircleCheck from 'lucide-react/icons/circle-check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { PublicComponent } from '@/api/types';
import { cn } from '@/ui/cn';
import { tones } from '@/ui/tone';
import { headline, isAffected } from './headline';

/** The headline of the page; nothing without components. */
export function StatusBanner({ components }: { components: readonly PublicComponent[] }) {
  const banner = headline(components);
  if (banner === null) return null;
  const tone = banner.operational ? 'operational' : 'degraded';
  const Icon = banner.operational ? CircleCheck : TriangleAlert;
  return (
    <section
      aria-label="Current status"
      data-tone={tone}
      className={cn(
        'tinted flex items-center gap-4 rounded-xl border px-4 py-5 shadow-low sm:gap-5 sm:px-6 sm:py-6',
        tones[tone].line,
      )}
    >
      <span
        aria-hidden
        className={cn(
          'grid size-11 shrink-0 place-items-center rounded-full text-canvas sm:size-14',
          tones[tone].solid,
        )}
      >
        <Icon aria-hidden className="size-6 sm:size-8" />
      </span>
      <div className="min-w-0">
        <p className="text-2xl font-semibold tracking-tight text-balance text-ink sm:text-3xl">
          {banner.text}
        </p>
        <p className="text-sm text-muted">{extent(components)}</p>
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

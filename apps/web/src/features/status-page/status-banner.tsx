import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { PublicComponent } from '@/api/types';
import { cn } from '@/ui/cn';
import { tones } from '@/ui/tone';
import { headline, isAffected } from './headline';

/** The one sentence that the page is for. Nothing where there is no component to speak of. */
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
        'flex items-center gap-4 rounded-xl border px-4 py-4 sm:px-6 sm:py-5',
        tones[tone].badge,
      )}
    >
      <Icon aria-hidden className="size-8 shrink-0 sm:size-10" />
      <div className="min-w-0">
        <p className="text-xl font-semibold tracking-tight text-balance text-ink sm:text-2xl">
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

import { CircleCheck, ExternalLink, TriangleAlert } from 'lucide-react';
import type { Banner } from '@/api/types';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { cn } from '@/ui/cn';
import { tones } from '@/ui/tone';

interface HeadlineProps {
  banner: Banner;
  organisationId: string;
}

/** The headline as the public sees it. */
export function Headline({ banner, organisationId }: HeadlineProps) {
  const Icon = banner.operational ? CircleCheck : TriangleAlert;
  const tone = banner.operational ? 'operational' : 'degraded';
  return (
    <section
      aria-label="Public headline"
      data-tone={tone}
      className={cn(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-4 py-3',
        tones[tone].badge,
      )}
    >
      <Icon aria-hidden className="size-5 shrink-0" />
      <div className="min-w-0 flex-1 basis-52">
        <p className="text-lg font-semibold">{banner.text}</p>
        <p className="text-sm text-muted">What visitors of your status page read now</p>
      </div>
      <a
        href={paths.status(organisationId)}
        target="_blank"
        rel="noopener"
        className={buttonVariants()}
      >
        <ExternalLink aria-hidden /> View Public Page
      </a>
    </section>
  );
}

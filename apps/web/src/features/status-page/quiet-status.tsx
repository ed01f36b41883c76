import type { StatusLook } from '@/ui/statuses';
import { tones } from '@/ui/tone';

/** A status that needs nobody's attention: as high as a badge, without its ground. */
export function QuietStatus({ label, tone, icon: Icon }: StatusLook) {
  return (
    <span className="inline-flex h-6 items-center gap-1.5 text-xs whitespace-nowrap text-muted">
      <Icon aria-hidden className={`size-3.5 shrink-0 ${tones[tone].text}`} />
      {label}
    </span>
  );
}

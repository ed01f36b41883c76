import { cn } from '@/ui/cn';
import { formatNumber } from '@/ui/format';
import { tones } from '@/ui/tone';

interface CountProps {
  label: string;
  value: number;
  /** Whether a number above 0 is a failure. */
  alarming?: boolean;
}

/** A number with its name, inside a <dl>. */
export function Count({ label, value, alarming = false }: CountProps) {
  return (
    <div className="flex items-baseline gap-1.5">
      <dt className="text-muted">{label}</dt>
      <dd
        className={cn(
          'font-medium tabular-nums',
          alarming && value > 0 ? tones.major.text : 'text-ink',
        )}
      >
        {formatNumber(value)}
      </dd>
    </div>
  );
}

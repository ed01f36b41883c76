import { cn } from '@/ui/cn';
import { tones, type Tone } from '@/ui/tone';

const methodTones: Record<string, Tone> = {
  GET: 'maintenance',
  POST: 'operational',
  PATCH: 'degraded',
  DELETE: 'major',
};

export function Method({ name }: { name: string }) {
  return (
    <span
      className={cn(
        'inline-flex w-16 justify-center rounded-sm border py-0.5 font-mono text-xs font-medium',
        tones[methodTones[name] ?? 'neutral'].badge,
      )}
    >
      {name}
    </span>
  );
}

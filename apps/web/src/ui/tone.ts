/** The meaning of a colour. A tone always comes with an icon and a label. */
export type Tone = 'operational' | 'degraded' | 'partial' | 'major' | 'maintenance' | 'neutral';

interface ToneClasses {
  /** Text or an icon. */
  text: string;
  /** Tinted background with a border and text. */
  badge: string;
}

export const tones: Record<Tone, ToneClasses> = {
  operational: {
    text: 'text-operational',
    badge: 'border-operational-line bg-operational-soft text-operational',
  },
  degraded: {
    text: 'text-degraded',
    badge: 'border-degraded-line bg-degraded-soft text-degraded',
  },
  partial: {
    text: 'text-partial',
    badge: 'border-partial-line bg-partial-soft text-partial',
  },
  major: {
    text: 'text-major',
    badge: 'border-major-line bg-major-soft text-major',
  },
  maintenance: {
    text: 'text-maintenance',
    badge: 'border-maintenance-line bg-maintenance-soft text-maintenance',
  },
  neutral: {
    text: 'text-neutral',
    badge: 'border-neutral-line bg-neutral-soft text-neutral',
  },
};

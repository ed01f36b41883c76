/** The meaning of a colour. A tone always comes with an icon and a label. */
export type Tone = 'operational' | 'degraded' | 'partial' | 'major' | 'maintenance' | 'neutral';

interface ToneClasses {
  /** Text or an icon. */
  text: string;
  /** Tinted background with a border and text. */
  badge: string;
  /** A border. */
  line: string;
  /** A filled mark, such as a dot or a bar. */
  solid: string;
}

export const tones: Record<Tone, ToneClasses> = {
  operational: {
    text: 'text-operational',
    badge: 'border-operational-line bg-operational-soft text-operational',
    line: 'border-operational-line',
    solid: 'bg-operational-solid',
  },
  degraded: {
    text: 'text-degraded',
    badge: 'border-degraded-line bg-degraded-soft text-degraded',
    line: 'border-degraded-line',
    solid: 'bg-degraded-solid',
  },
  partial: {
    text: 'text-partial',
    badge: 'border-partial-line bg-partial-soft text-partial',
    line: 'border-partial-line',
    solid: 'bg-partial-solid',
  },
  major: {
    text: 'text-major',
    badge: 'border-major-line bg-major-soft text-major',
    line: 'border-major-line',
    solid: 'bg-major-solid',
  },
  maintenance: {
    text: 'text-maintenance',
    badge: 'border-maintenance-line bg-maintenance-soft text-maintenance',
    line: 'border-maintenance-line',
    solid: 'bg-maintenance-solid',
  },
  neutral: {
    text: 'text-neutral',
    badge: 'border-neutral-line bg-neutral-soft text-neutral',
    line: 'border-neutral-line',
    solid: 'bg-neutral-solid',
  },
};

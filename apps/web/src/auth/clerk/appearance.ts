import type { ComponentProps } from 'react';
import type { ClerkProvider } from '@clerk/clerk-react';

type Appearance = NonNullable<ComponentProps<typeof ClerkProvider>['appearance']>;

/**
 * Clerk's components in our colours. The values are our tokens themselves, so the components follow the theme, and
 * are dark inside `data-theme="dark"` (Clerk's docs: "Variables prop", "Use CSS variables with Clerk").
 */
export const appearance: Appearance = {
  variables: {
    colorBackground: 'var(--raised)',
    colorForeground: 'var(--ink)',
    colorMuted: 'var(--surface)',
    colorMutedForeground: 'var(--muted)',
    colorNeutral: 'var(--ink)',
    colorPrimary: 'var(--primary)',
    colorPrimaryForeground: 'var(--on-primary)',
    colorInput: 'var(--surface)',
    colorInputForeground: 'var(--ink)',
    colorBorder: 'var(--line-strong)',
    colorRing: 'var(--focus)',
    colorDanger: 'var(--major)',
    colorWarning: 'var(--degraded)',
    colorSuccess: 'var(--operational)',
    colorModalBackdrop: 'var(--scrim)',
    fontFamily: 'inherit',
    fontSize: '0.875rem',
    borderRadius: '0.375rem',
  },
};

/** Classes of every text control. */
export const control =
  'w-full rounded-md border border-line-strong bg-canvas px-2.5 text-base text-ink transition-colors hover:border-muted disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-major pointer-coarse:text-lg';

/**
 * Classes of the label beside a checkbox or a radio button. For a finger, the label covers both, 40
 * pixels high.
 */
export const choiceLabel =
  "w-fit min-w-0 text-sm font-medium wrap-anywhere text-ink pointer-coarse:relative pointer-coarse:py-2.5 pointer-coarse:before:absolute pointer-coarse:before:inset-y-0 pointer-coarse:before:-left-6 pointer-coarse:before:w-6 pointer-coarse:before:content-['']";

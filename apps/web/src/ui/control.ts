/** Classes of every text control. */
export const control =
  'w-full rounded-md border border-line-strong bg-canvas px-2.5 text-base text-ink transition-colors hover:border-muted disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-major pointer-coarse:text-lg';

/** Modules that build/documentation.ts makes. */
declare module '*.json?reference' {
  import type { ApiReference } from '@build/api-reference';
  const reference: ApiReference;
  export default reference;
}

/** Module that build/icon-sprite.ts makes. */
declare module 'virtual:icon-symbols' {
  const symbols: string;
  export default symbols;
  /** The icon that the server's drawing, which is dark, does not have. */
  export const moon: string;
}

/**
 * The file of app/status-hydrate.tsx and those that it imports. The build puts their names into the
 * status page's first script.
 */
declare const STATUS_FILES: readonly string[];

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
}

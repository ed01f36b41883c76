/**
 * Classes of the layer between the page and a dialog. It also covers a dialog that opened before.
 */
export const overlay = 'fixed inset-0 z-50 animate-appear bg-scrim';

/** Classes of a dialog: centred, as high as its content, scrolling on small windows. */
export const panel =
  'fixed inset-0 z-50 m-auto flex h-fit max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg animate-enter scroll-pb-20 flex-col gap-4 overflow-y-auto rounded-xl bg-raised p-5 shadow-high focus:outline-none *:shrink-0 forced-colors:border';

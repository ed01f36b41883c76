/** Applies the style that the first paint does not wait for: see build/first-paint.ts. */
export function applyLaterStyle(page: Document): void {
  const apply = () => page.querySelector('link[rel=stylesheet]')?.setAttribute('media', 'all');
  // A background tab paints nothing.
  if (page.hidden || !('PerformanceObserver' in window)) return apply();
  // A first paint may be of a background alone.
  new PerformanceObserver((entries) => {
    if (entries.getEntriesByName('first-contentful-paint').length > 0) apply();
  }).observe({ type: 'paint', buffered: true });
  setTimeout(apply, 1000);
}

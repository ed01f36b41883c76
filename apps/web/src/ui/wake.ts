const sources = [
  [window, 'online'],
  [window, 'pageshow'],
  [document, 'visibilitychange'],
] as const;

/**
 * Calls `wake` when the network or a hidden page returns, until the returned function is called.
 */
export function onWake(wake: () => void): () => void {
  const check = () => {
    if (!document.hidden) wake();
  };
  for (const [target, name] of sources) target.addEventListener(name, check);
  return () => {
    for (const [target, name] of sources) target.removeEventListener(name, check);
  };
}

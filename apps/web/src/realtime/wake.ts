const wakings = [
  [window, 'online'],
  [window, 'pageshow'],
  [document, 'visibilitychange'],
] as const;

/** Calls `wake` when the network or the person is back, until the returned function is called. */
export function onWake(wake: () => void): () => void {
  const look = () => {
    if (document.visibilityState === 'visible') wake();
  };
  for (const [target, name] of wakings) target.addEventListener(name, look);
  return () => {
    for (const [target, name] of wakings) target.removeEventListener(name, look);
  };
}

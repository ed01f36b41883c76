import { backoffMs } from './retry';

const attempts = 3;

/**
 * Minimum age of a page that is loaded again if the files of its version do not exist any more. A
 * younger page tries again, because nodes may run different versions for a moment.
 */
export const reloadAfterMs = 60_000;

/** The code of a screen could not be loaded. */
export class CodeNotLoaded extends Error {
  /** Whether the server has another version of the app, without the files of this one. */
  readonly isReplaced: boolean;

  constructor(isReplaced: boolean, cause: unknown) {
    super('This screen could not be loaded.', { cause });
    this.isReplaced = isReplaced;
  }
}

/**
 * Loads the code of a screen. Retries after 1 and 2 seconds.
 *
 * @throws CodeNotLoaded
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await load();
    } catch (error) {
      const isReplaced = await isAppReplaced();
      if (isReplaced || failures === attempts) throw new CodeNotLoaded(isReplaced, error);
      await new Promise((resolve) => setTimeout(resolve, backoffMs(failures)));
    }
  }
}

/**
 * Loads the code of a control. Retries after 1 and 2 seconds. If the server has another version of
 * the app, loads the page again, unless it is younger than `reloadAfterMs`.
 *
 * @throws CodeNotLoaded
 */
export async function loadCodeOrReload<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await loadCode(load);
  } catch (error) {
    const isReplaced = error instanceof CodeNotLoaded && error.isReplaced;
    if (isReplaced && performance.now() > reloadAfterMs) location.reload();
    throw error;
  }
}

/** Whether the file that started this page is gone. Its name changes with every version. */
async function isAppReplaced(): Promise<boolean> {
  // The script of the status page is no module.
  const entry = document.querySelector<HTMLScriptElement>('script[src*="/assets/"]');
  try {
    // A cache in front of the server keeps the file, but has no response to this query.
    return entry !== null && isGone(await fetch(`${entry.src}?${Date.now()}`, { method: 'HEAD' }));
  } catch {
    return false;
  }
}

/**
 * Whether the server says that a file does not exist. A proxy that has lost its server may respond
 * with a 404 of its own, without the identifier that Allclear gives to each response.
 */
export function isGone(response: Response): boolean {
  return response.status === 404 && response.headers.has('X-Request-Id');
}

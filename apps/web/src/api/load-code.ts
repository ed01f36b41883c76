import { backoffMs } from './retry';

const attempts = 3;

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

/** Whether the file that started this page is gone. Its name changes with every version. */
async function isAppReplaced(): Promise<boolean> {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  if (entry === null) return false;
  try {
    const { status } = await fetch(entry.src, { method: 'HEAD', cache: 'no-store' });
    return status === 404;
  } catch {
    return false;
  }
}

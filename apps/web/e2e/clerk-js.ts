import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The version that @clerk/clerk-react 5.61 is made with. */
export const version = '5.128.0';
const integrity =
  'aw8USKnrZVPOqJfp1eKpbaQL+jUYkXJn/v3XdBslfT4jXEUIqkyITmlgY8bA9GqVF7xGcr+m/HJTpgvGbtIvXA==';
const store = fileURLToPath(new URL('../node_modules/.clerk-js/', import.meta.url));

/**
 * The folder with the scripts that Clerk serves, as Clerk publishes them. The package is not a
 * dependency: its thousand dependencies are in its scripts already and would be installed a
 * second time.
 */
export async function clerkJs(): Promise<string> {
  const folder = join(store, version);
  if (!existsSync(folder)) {
    await mkdir(store, { recursive: true });
    const fresh = await mkdtemp(join(store, 'fresh-'));
    await unpack(fresh);
    await rename(join(fresh, 'package'), folder).catch((error: unknown) => {
      // Another worker may have stored the same package meanwhile.
      if (!existsSync(folder)) throw error;
    });
    await rm(fresh, { recursive: true });
  }
  return join(folder, 'dist');
}

async function unpack(into: string): Promise<void> {
  const wanted = `@clerk/clerk-js@${version}`;
  await run('npm', ['pack', wanted, '--pack-destination', into, '--prefer-offline'], { cwd: into });
  const tarball = join(into, `clerk-clerk-js-${version}.tgz`);
  const hash = createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64');
  if (hash !== integrity) throw new Error(`${wanted} is not what it was: sha512-${hash}`);
  await run('tar', ['-xzf', tarball, '-C', into]);
}

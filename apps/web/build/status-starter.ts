import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { iconSprite } from './icon-sprite.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Builds the first script of the status page as one file, apart from the others: shared modules
 * would be further files, which it would wait for. `files` are what it loads on demand: the script
 * that takes over, and what that imports.
 */
export async function buildStarter(files: readonly string[]): Promise<string> {
  const [script = ''] = files;
  const [result] = (await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [iconSprite(), externalStatus(script)],
    resolve: { alias: { '@': file('../src') } },
    define: { STATUS_FILES: JSON.stringify(files) },
    build: {
      write: false,
      copyPublicDir: false,
      lib: { entry: file('../src/app/status-starter.ts'), formats: ['iife'], name: 'starter' },
    },
  })) as Rolldown.RolldownOutput[];
  const [chunk] = result?.output ?? [];
  if (!chunk) throw new Error('status-starter.ts gave no script');
  return chunk.code.trim();
}

/** Lets the script import React's part by its address. */
function externalStatus(script: string): Plugin {
  return {
    name: 'allclear:external-status',
    enforce: 'pre',
    resolveId: (source) =>
      source === './status-hydrate' ? { id: script, external: 'absolute' } : null,
  };
}

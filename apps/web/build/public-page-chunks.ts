import { fileURLToPath } from 'node:url';
import type { Rolldown } from 'vite';

const source = fileURLToPath(new URL('../src/', import.meta.url));
const entry = `${source}app/status-hydrate.tsx`;
const dialog = `${source}features/status-page/subscribe/standalone-subscribe-dialog.tsx`;

/**
 * Puts the script of the public status page into two files: the code that it shares with the
 * operators' app, and its own. By default, each set of screens that shares modules gets a file, and
 * many small files compress worse than a few.
 */
export function publicPageChunks(): Rolldown.CodeSplittingGroup {
  let modules: Set<string> | undefined;
  return {
    debugName: 'public-page',
    name: (id, context) => {
      modules ??= staticImports(entry, context);
      if (!modules.has(id)) return null;
      const own = id === entry || id.startsWith(`${source}features/status-page/`);
      return own ? 'status-page' : 'shared';
    },
  };
}

/**
 * Puts what the page loads for its dialog besides its own script into one file. The operators' app
 * has the same forms.
 */
export function subscribeChunk(): Rolldown.CodeSplittingGroup {
  let modules: Set<string> | undefined;
  return {
    debugName: 'subscribe',
    name: (id, context) => {
      modules ??= staticImports(dialog, context);
      return modules.has(id) && id !== dialog && !id.endsWith('.css') ? 'forms' : null;
    },
  };
}

/** Returns the modules that an entry loads at once. */
function staticImports(entry: string, context: Rolldown.ChunkingContext): Set<string> {
  const found = new Set<string>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    context.getModuleInfo(id)?.importedIds.forEach(visit);
  };
  visit(entry);
  return found;
}

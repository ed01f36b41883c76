import { fileURLToPath } from 'node:url';
import type { Rolldown } from 'vite';

const source = fileURLToPath(new URL('../src/', import.meta.url));
const entry = `${source}app/status.tsx`;

/**
 * Puts the script of the public status page into two files: what it shares with the operators' app, and its own. By
 * default each set of screens that shares modules makes a file, and many small files compress worse than few.
 */
export function publicPageChunks(): Rolldown.CodeSplittingGroup {
  let modules: Set<string> | undefined;
  return {
    debugName: 'public-page',
    name: (id, context) => {
      modules ??= staticImports(context);
      if (id === entry || !modules.has(id)) return null;
      return id.startsWith(`${source}features/status-page/`) ? 'status-page' : 'shared';
    },
  };
}

/** Returns the modules that the page's script loads at once. */
function staticImports(context: Rolldown.ChunkingContext): Set<string> {
  const found = new Set<string>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    context.getModuleInfo(id)?.importedIds.forEach(visit);
  };
  visit(entry);
  return found;
}

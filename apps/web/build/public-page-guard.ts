import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Packages that the public status page must not load. */
const forbidden =
  /node_modules\/(@clerk|formik|yup|@tanstack|react-router|react-router-dom|socket\.io-client|engine\.io-client)\//;

/**
 * Fails the build when the script that the public status page loads on demand is larger than
 * `maxBytes` compressed, or when it holds a package that belongs to the operator's app.
 */
export function publicPageGuard({ maxBytes }: { maxBytes: number }): Plugin {
  return {
    name: 'allclear:public-page-guard',
    apply: 'build',
    writeBundle(_options, bundle) {
      const chunks = chunksOf(bundle, 'status');
      const intruders = chunks
        .flatMap((chunk) => Object.keys(chunk.modules))
        .filter((id) => forbidden.test(id));
      if (intruders.length > 0) {
        this.error(`The public status page must not load ${intruders.join(', ')}`);
      }
      const bytes = chunks.reduce(
        (sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).byteLength,
        0,
      );
      if (bytes > maxBytes) {
        this.error(
          `The public status page loads ${bytes} bytes of script on demand; it may load ${maxBytes}`,
        );
      }
      this.info(`The public status page loads ${bytes} of at most ${maxBytes} bytes on demand`);
    },
  };
}

/** Returns the entry's chunk, and after it all chunks that it imports statically. */
export function chunksOf(bundle: Rolldown.OutputBundle, entry: string): Rolldown.OutputChunk[] {
  const all = Object.values(bundle).filter((output) => output.type === 'chunk');
  const start = all.find((chunk) => chunk.isEntry && chunk.name === entry);
  const found = new Set<Rolldown.OutputChunk>();
  const visit = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    for (const name of chunk.imports) visit(all.find((other) => other.fileName === name));
  };
  visit(start);
  return [...found];
}

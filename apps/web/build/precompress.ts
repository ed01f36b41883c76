import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressible = /\.(css|html|js|json|svg|txt|webmanifest)$/;
/**
 * Their uncompressed forms would be three megabytes of the binary; the server unpacks them for the
 * few clients that want one.
 */
const onlyCompressed = /^assets\/(?!embed-).*\.(css|js)$/;

/**
 * Size of a gzip form from which a brotli form has to save a tenth of it, so that it is worth its
 * bytes in the binary.
 */
const largeBytes = 64 * 1024;

/** Writes a gzip file, and a brotli file if it saves enough, beside each text file of the build. */
export function precompress(): Plugin {
  return {
    name: 'allclear:precompress',
    apply: 'build',
    enforce: 'post',
    async writeBundle({ dir }) {
      if (!dir) return;
      const entries = await readdir(dir, { recursive: true });
      const files = entries.filter((file) => compressible.test(file));
      await Promise.all(files.map((file) => compress(join(dir, file))));
      const spare = files.filter((file) => onlyCompressed.test(file));
      await Promise.all(spare.map((file) => rm(join(dir, file))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await writeFile(`${file}.gz`, gzipped);
  if (gzipped.byteLength < largeBytes || brotli.byteLength < 0.9 * gzipped.byteLength) {
    await writeFile(`${file}.br`, brotli);
  }
}

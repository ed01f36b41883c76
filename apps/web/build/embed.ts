import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { minifySync, type Plugin } from 'vite';
import { withVersion } from './page-version.ts';
import { withEvents } from './with-events.ts';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`./${name}`, import.meta.url)), 'utf8');

/**
 * Makes the two files of the embedded banner: the script that other sites load, of at most
 * `maxBytes`, and the page in its frame, which the server fills.
 */
export function embed({ maxBytes }: { maxBytes: number }): Plugin {
  return {
    name: 'allclear:embed',
    apply: 'build',
    async generateBundle() {
      const host = minified('embed-host.js', read('embed-host.js'));
      if (host.length > maxBytes) {
        this.error(`The embedded script has ${host.length} bytes; it may have ${maxBytes}`);
      }
      const hash = createHash('sha256').update(host).digest('base64url').slice(0, 8);
      this.emitFile({ type: 'asset', fileName: `assets/embed-${hash}.js`, source: host });
      this.emitFile({ type: 'asset', fileName: 'embed.html', source: await page() });
    },
  };
}

function minified(name: string, source: string): string {
  return minifySync(name, source, { module: false }).code.trim();
}

async function page(): Promise<string> {
  const style = read('embed-frame.css').replace(/\s+/g, ' ').trim();
  const script = minified('embed-frame.js', await withEvents('embed-frame.js'));
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="UTF-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex"><!--allclear:head-->',
    `<style>${style}</style></head><body><!--allclear:page--><script>${script}</script></body></html>`,
  ].join('');
  return withVersion(html);
}

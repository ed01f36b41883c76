import { readFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { describeApi } from './api-reference.ts';
import { renderMarkdown, type Guide } from './markdown.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folders = ['docs/', 'apps/web/content/'];

/**
 * Makes modules of the product's texts: `docs/**.md` and `content/**.md` as the HTML of a page,
 * with `?summary` as its title and first sentence, `docs/*.conf?guide` as a guide that shows the
 * file, and `docs/openapi.json?reference` as the API's calls. A broken link fails the build.
 */
export function documentation(): Plugin {
  return {
    name: 'allclear:documentation',
    enforce: 'pre',
    async load(id) {
      const [file = '', query] = id.split('?', 2);
      const path = relative(root, file);
      if (!folders.some((folder) => path.startsWith(folder))) return null;
      if (path.endsWith('.md')) {
        const { html, ...summary } = renderMarkdown(path, await readFile(file, 'utf8'));
        return query === 'summary' ? moduleOf(summary) : withPictures({ ...summary, html });
      }
      if (query === 'guide') return moduleOf(renderFile(path, await readFile(file, 'utf8')));
      if (query === 'reference') return moduleOf(describeApi(await readFile(file, 'utf8')));
      return null;
    },
  };
}

function moduleOf(value: unknown): { code: string; moduleType: 'js' } {
  return { code: `export default ${JSON.stringify(value)};`, moduleType: 'js' };
}

/** A guide whose pictures have the addresses that the build gives them. */
function withPictures(guide: Guide): { code: string; moduleType: 'js' } {
  const imports: string[] = [];
  const { code, moduleType } = moduleOf(guide);
  const text = code.replace(/ src=\\"(docs\/[^"\\]+)\\"/g, (_, file: string) => {
    const name = `picture${imports.length}`;
    imports.push(`import ${name} from ${JSON.stringify(`${root}${file}?url`)};\n`);
    return ` src=\\"" + ${name} + "\\"`;
  });
  return { code: imports.join('') + text, moduleType };
}

function renderFile(path: string, text: string) {
  const language = path.endsWith('.conf') ? 'nginx' : '';
  return renderMarkdown(path, `# ${basename(path)}\n\n\`\`\`${language}\n${text}\n\`\`\`\n`);
}

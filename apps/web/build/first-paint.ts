import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Where the style of the public page takes its classes from: what src/styles/public-page.css names. */
const styled = /\/src\/(features\/status-page|subscription|ui)\//;

/**
 * Writes into the public page what it takes to paint it, so that the first answer is all a visitor waits for: its style
 * and the choice of its theme. Its script is loaded once it has been painted. The server allows each piece by its hash.
 */
export function firstPaint(): Plugin {
  return {
    name: 'allclear:first-paint',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const page = bundle['status.html'];
        if (page?.type !== 'asset') return this.error('There is no status.html');
        for (const id of shown(bundle)) {
          if (!styled.test(id)) this.error(`public-page.css does not know the classes of ${id}`);
        }
        page.source = inlined(String(page.source), bundle);
      },
    },
  };
}

/** The modules with elements in them that the page's script may come to show. */
function shown(bundle: Rolldown.OutputBundle): string[] {
  const entry = Object.values(bundle).find(
    (output) => output.type === 'chunk' && output.isEntry && output.name === 'status',
  );
  const found = new Set<string>();
  const visit = (name: string) => {
    const chunk = bundle[name];
    if (found.has(name) || chunk?.type !== 'chunk') return;
    found.add(name);
    [...chunk.imports, ...chunk.dynamicImports].forEach(visit);
  };
  if (entry) visit(entry.fileName);
  return [...found].flatMap((name) => elements(bundle[name]));
}

function elements(output: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): string[] {
  if (output?.type !== 'chunk') return [];
  const modules = Object.entries(output.modules);
  return modules
    .filter(([id, { code }]) => id.endsWith('.tsx') && code?.includes('className'))
    .map(([id]) => id);
}

function inlined(page: string, bundle: Rolldown.OutputBundle): string {
  const imports: string[] = [];
  let script = '';
  const html = page
    .replace('<script src="/theme.js"></script>', () => `<script>${theme()}</script>`)
    .replace(/\s*<link rel="stylesheet"[^>]*href="\/([^"]+)">/g, (_, name: string) => {
      const style = bundle[name];
      if (style?.type !== 'asset') throw new Error(`${name} is no style`);
      Reflect.deleteProperty(bundle, name);
      return `\n    <style>${String(style.source).trim()}</style>`;
    })
    .replace(/\s*<link rel="modulepreload"[^>]*href="([^"]+)">/g, (_, name: string) => {
      imports.push(name);
      return '';
    })
    .replace(/\s*<script type="module"[^>]*src="([^"]+)"><\/script>/, (_, name: string) => {
      script = name;
      return '';
    });
  const files = `${JSON.stringify(script)},${JSON.stringify(imports)}`;
  const start = compact(readFileSync(file('./after-paint.js'), 'utf8')).replace('FILES', files);
  const whole = html.replace(/\s*<\/body>/, () => `\n    <script>${start}</script>\n  </body>`);
  if (!script || !whole.includes(start) || /<(link rel="stylesheet"|script src)/.test(whole)) {
    throw new Error('status.html is not as it was: something of it could not be written into it');
  }
  return whole;
}

const theme = () => compact(readFileSync(file('../public/theme.js'), 'utf8'));

/** The lines of a script without its comments and indentation. */
function compact(script: string): string {
  return script
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\n\s*/g, '\n')
    .trim();
}

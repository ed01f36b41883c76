import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { minifySync, type Plugin, type Rolldown } from 'vite';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const read = (path: string) => readFileSync(file(path), 'utf8');

const own = file('../src/');
/** Matches classes, but no words of sentences. */
const classes = /className|["'` ](flex|grid|(text|bg|border|rounded|stroke)-[a-z]+)["'` ]/;
/** Elements with a browser style that public-reset.css does not reset. */
const bare =
  /jsxs?\)?\(\s*["'`](abbr|audio|b|canvas|code|fieldset|h[5-6]|hr|iframe|img|kbd|legend|menu|optgroup|pre|progress|samp|select|small|strong|sub|sup|table|textarea|video)["'`]/;

export const theme = '<script src="/theme.js"></script>';
const stylesheet = /\s*<link rel="stylesheet"[^>]*href="\/([^"]+)">/g;
const preload = /\s*<link rel="modulepreload"[^>]*href="([^"]+)">/g;
const entry = /\s*<script type="module"[^>]*src="([^"]+)"><\/script>/;

/**
 * Makes the first answer all that a visitor waits for: the public page's style stands in it, allowed by its hash, and so does
 * the script that chooses its theme; what loads the rest is one small file that no paint waits for.
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
        const styled = sourcesOfStyle();
        for (const [id, code] of shown(this, bundle)) {
          if (classes.test(code) && !styled.some((path) => id.startsWith(path))) {
            this.error(`public-page.css does not know the classes of ${id}`);
          }
          const [, element] = bare.exec(code) ?? [];
          if (element) this.error(`public-reset.css knows no <${element}>, which ${id} draws`);
        }
        const html = withStyle(String(page.source), bundle);
        const source = beginning(html);
        const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
        const fileName = `assets/begin-${hash}.js`;
        this.emitFile({ type: 'asset', fileName, source });
        page.source = html
          .replace(theme, `${choice('./open-groups.js')}<script async src="/${fileName}"></script>`)
          .replace(preload, '')
          .replace(entry, '');
        const scripts = page.source.match(/<script[^>]*>/g);
        if (scripts?.length !== 2 || !page.source.includes('<style>')) {
          this.error(
            'status.html is not as it was: it may hold one style and one script, and name one',
          );
        }
      },
    },
  };
}

/** Returns the sources of public-page.css. */
function sourcesOfStyle(): string[] {
  const sources = read('../src/styles/public-page.css').matchAll(/@source '([^']+)'/g);
  return [...sources].map(([, path = '']) => file(`../src/styles/${path}`));
}

/** Returns our modules that the page's script contains or can load, with their code. */
function shown(context: Rolldown.PluginContext, bundle: Rolldown.OutputBundle): [string, string][] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const code = new Map(chunks.flatMap(({ modules }) => Object.entries(modules)));
  const found = new Set<string>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    const module = context.getModuleInfo(id);
    [...(module?.importedIds ?? []), ...(module?.dynamicallyImportedIds ?? [])].forEach(visit);
  };
  visit(file('../src/app/status.tsx'));
  const ours = [...found].filter((id) => id.startsWith(own));
  // Unused exports are not in the build.
  return ours.map((id) => [id, code.get(id)?.code ?? '']);
}

export function withStyle(html: string, bundle: Rolldown.OutputBundle): string {
  return html.replace(stylesheet, (_, name: string) => {
    const style = bundle[name];
    if (style?.type !== 'asset') throw new Error(`${name} is no style`);
    Reflect.deleteProperty(bundle, name);
    return `\n    <style>${String(style.source).trim()}</style>`;
  });
}

/**
 * The script that applies what the visitor has chosen before the first paint, without enabling the controls: the theme, and
 * what `others` apply.
 */
export function choice(...others: string[]): string {
  const theme = read('../public/theme.js').replace("data.ready = '';", '');
  const source = [theme, ...others.map(read)].join('');
  return `<script>${minifySync('theme.js', source, { module: false }).code.trim()}</script>`;
}

/** The page's only external script, which loads the rest after the first paint. */
function beginning(html: string): string {
  const script = JSON.stringify(entry.exec(html)?.[1]);
  const imports = JSON.stringify([...html.matchAll(preload)].map(([, name]) => name));
  const source = read('./after-paint.js').replace('FILES', `${script},${imports}`);
  return minifySync('begin.js', source, { module: false }).code;
}

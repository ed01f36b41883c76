import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { minifySync, type Plugin, type Rolldown } from 'vite';
import { compactStyle, declaration, renamed, withoutUnusedTokens } from './compact-style.ts';
import { chunksOf } from './public-page-guard.ts';
import { buildStarter } from './status-starter.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const read = (path: string) => readFileSync(file(path), 'utf8');

const own = file('../src/');
/** Matches utility classes, but no words of sentences. */
const utilities = /["'` ](flex|grid|(text|bg|border|rounded|stroke|font)-[a-z]+)["'` ]/;
/** Elements with a browser style that public-base.css does not reset. */
const bare =
  /jsxs?\)?\(\s*["'`](abbr|audio|b|canvas|code|fieldset|h[5-6]|hr|iframe|img|kbd|legend|menu|optgroup|pre|progress|samp|select|small|strong|sub|sup|table|textarea|video)["'`]/;

export const theme = '<script src="/theme.js"></script>';
const stylesheet = /\s*<link rel="stylesheet"[^>]*href="\/([^"]+)">/g;
const starter = /\s*<script type="module" src="\/src\/app\/status-starter.ts"><\/script>/;

/**
 * Makes the first answer all that a visitor waits for: the public page's style stands in it,
 * allowed by its hash, and so does the script that chooses its theme; its first script is one file
 * of at most `maxBytes` compressed, which no paint waits for.
 */
export function firstPaint({ maxBytes }: { maxBytes: number }): Plugin {
  return {
    name: 'allclear:first-paint',
    apply: 'build',
    // The first script is built apart, once the names of the files that it loads are known.
    transformIndexHtml: { order: 'pre', handler: (html) => html.replace(starter, '') },
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const page = bundle['status.html'];
        if (page?.type !== 'asset') return this.error('There is no status.html');
        for (const [id, code] of initialModules(this, bundle)) {
          if (utilities.test(code)) this.error(`public-page.css knows no utility classes: ${id}`);
          const [, element] = bare.exec(code) ?? [];
          if (element) this.error(`public-base.css knows no <${element}>, which ${id} draws`);
        }
        const dialog = sourcesOfDialog();
        for (const [id, code] of onDemand(this, bundle)) {
          if (utilities.test(code) && !dialog.some((path) => id.startsWith(path))) {
            this.error(`subscribe-dialog.css does not know the classes of ${id}`);
          }
        }
        const { html, names } = withStyle(String(page.source), bundle);
        const emit = (name: string, ending: string, source: string) => {
          const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
          const fileName = `assets/${name}-${hash}.${ending}`;
          this.emitFile({ type: 'asset', fileName, source });
          return `/${fileName}`;
        };
        const later = emit('later', 'css', laterStyle(names));
        const script = await buildStarter(chunksOf(bundle, 'status').map(addressOf));
        const bytes = gzipSync(script, { level: 9 }).byteLength;
        if (bytes > maxBytes) {
          this.error(`The status page's first script has ${bytes} bytes; it may have ${maxBytes}`);
        }
        this.info(`The status page's first script has ${bytes} of at most ${maxBytes} bytes`);
        const first = emit('starter', 'js', script);
        page.source = html
          .replace(theme, `${choice}<script async src="${first}"></script>`)
          .replace('</style>', `</style>${linked(later)}`);
        page.source = page.source.replace(/\n\s*/g, '').replaceAll(' />', '>');
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

/** Returns the sources of subscribe-dialog.css. */
function sourcesOfDialog(): string[] {
  const sources = read('../src/styles/subscribe-dialog.css').matchAll(/@source '([^']+)'/g);
  return [...sources].map(([, path = '']) => file(`../src/styles/${path}`));
}

/** Returns our modules that the page's script contains, with their code. */
function initialModules(context: Rolldown.PluginContext, bundle: Rolldown.OutputBundle) {
  return reached(context, bundle, '../src/app/status-hydrate.tsx', (module) => module.importedIds);
}

/** Returns our modules that its dialog contains or can load, with their code. */
function onDemand(context: Rolldown.PluginContext, bundle: Rolldown.OutputBundle) {
  const dialog = '../src/features/status-page/subscribe/standalone-subscribe-dialog.tsx';
  return reached(context, bundle, dialog, (module) => [
    ...module.importedIds,
    ...module.dynamicallyImportedIds,
  ]);
}

function reached(
  context: Rolldown.PluginContext,
  bundle: Rolldown.OutputBundle,
  entry: string,
  imports: (module: Rolldown.ModuleInfo) => readonly string[],
): [string, string][] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const code = new Map(chunks.flatMap(({ modules }) => Object.entries(modules)));
  const found = new Set<string>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    const module = context.getModuleInfo(id);
    if (module) imports(module).forEach(visit);
  };
  visit(file(entry));
  const ours = [...found].filter((id) => id.startsWith(own));
  // Unused exports are not in the build.
  return ours.map((id) => [id, code.get(id)?.code ?? '']);
}

/**
 * Writes the style of a page into it. Returns the page, and the names that the style's tokens
 * have got.
 */
export function withStyle(page: string, bundle: Rolldown.OutputBundle) {
  const names = new Map<string, string>();
  const html = page.replace(stylesheet, (_, name: string) => {
    const style = bundle[name];
    if (style?.type !== 'asset') throw new Error(`${name} is no style`);
    Reflect.deleteProperty(bundle, name);
    const compact = compactStyle(String(style.source).trim());
    compact.names.forEach((short, token) => names.set(token, short));
    return `<style>${compact.style}</style>`;
  });
  return { html, names };
}

/**
 * The script that applies what the visitor has chosen before the first paint, without enabling
 * the controls.
 */
export const choice = `<script>${minifySync('choice.js', read('./first-choice.js'), { module: false }).code.trim()}</script>`;

/**
 * Returns the style that the first paint does not wait for. `names` are those of the tokens that
 * the page has.
 */
function laterStyle(names: ReadonlyMap<string, string>): string {
  const sheet = (name: string) => read(`../src/styles/${name}.css`);
  const tokens = sheet('tokens').replace(declaration, (token, name: string) =>
    names.has(name) ? '' : token,
  );
  const rest = ['public-later', 'public-notices', 'tokens-adapted', 'public-adapted']
    .map(sheet)
    .join('');
  const minified = (tokens + rest)
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .trim();
  return renamed(withoutUnusedTokens(minified), names);
}

/**
 * A browser that shows the usual colours on a screen loads the sheet, but applies it only once the
 * script says so.
 */
function linked(later: string): string {
  const media = 'print,(forced-colors:active),(prefers-contrast:more)';
  const link = (media: string) => `<link rel="stylesheet" href="${later}"${media}>`;
  return `${link(` media="${media}"`)}<noscript>${link('')}</noscript>`;
}

function addressOf({ fileName }: Rolldown.OutputChunk): string {
  return `/${fileName}`;
}

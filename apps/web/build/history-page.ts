import { createHash } from 'node:crypto';
import { minifySync, type Plugin } from 'vite';
import { choice, theme, withStyle } from './first-paint.ts';
import { withVersion } from './page-version.ts';
import { withEvents } from './with-events.ts';

/**
 * Completes the page that the server fills with the public history. Its style and the choice of its
 * theme are inline, and it names one script, of at most `maxBytes`, that keeps it up to date.
 */
export function historyPage({ maxBytes }: { maxBytes: number }): Plugin {
  return {
    name: 'allclear:history-page',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const page = bundle['history.html'];
        if (page?.type !== 'asset') return this.error('There is no history.html');
        const source = minifySync('history.js', await withEvents('history-live.js'), {
          module: false,
        }).code;
        if (source.length > maxBytes) {
          this.error(`The history's script has ${source.length} bytes; it may have ${maxBytes}`);
        }
        const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
        const fileName = `assets/history-${hash}.js`;
        this.emitFile({ type: 'asset', fileName, source });
        page.source = withStyle(String(page.source), bundle).html.replace(
          theme,
          `${choice}<script async src="/${fileName}"></script>`,
        );
        const scripts = page.source.match(/<script[^>]*>/g);
        if (scripts?.length !== 2 || !page.source.includes('<style>')) {
          this.error('history.html may hold one style and one script, and name one');
        }
        page.source = withVersion(page.source);
      },
    },
  };
}

import { optimize } from 'svgo';
import type { Plugin } from 'vite';

type Node = readonly [element: string, attributes: Record<string, string>];

/** The icons of the pages that visitors see, by their names in Lucide. */
const icons = [
  'activity',
  'calendar-clock',
  'circle-alert',
  'circle-check',
  'circle-slash',
  'crosshair',
  'moon',
  'octagon-x',
  'search',
  'sun',
  'triangle-alert',
  'wrench',
];

/** Names that Lucide keeps for the icons of other names. */
const aliases: Partial<Record<string, string>> = {
  'circle-alert': 'circle-exclamation-point',
  'triangle-alert': 'triangle-exclamation-point',
};

/**
 * A zero-length line is a dot, which the optimiser knows from these attributes; they are the same
 * as in the style of icons.
 */
const open =
  '<svg stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" fill="none">';

const logo =
  '<symbol id="logo" viewBox="0 0 32 32"><path d="M27.2 12.1A12 12 0 1 1 21.6 5.4" stroke-width="3"/>' +
  '<path d="m10.4 16.4 4.4 4.4L27.4 7.2" stroke-width="3.4" class="tick"/></symbol>';

const mark = '<!--sprite-->';
const id = 'virtual:icon-symbols';

/**
 * Writes the icons into the pages once; each use refers to one of them. The server leaves out those
 * that a page does not use, so the script has them all: as the text of this module.
 */
export function iconSprite(): Plugin {
  return {
    name: 'allclear:icon-sprite',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: async (module) =>
      module === `\0${id}`
        ? `export default ${JSON.stringify(await symbols())};
           export const moon = ${JSON.stringify(await symbol('moon'))};`
        : undefined,
    transformIndexHtml: async (html) =>
      html.includes(mark) ? html.replace(mark, `<svg hidden>${await symbols()}</svg>`) : html,
  };
}

async function symbols(): Promise<string> {
  return (await Promise.all(icons.map(symbol))).join('') + logo;
}

/** Returns the symbol of an icon. */
export async function symbol(name: string): Promise<string> {
  const { __iconData: icon } = (await import(`lucide-react/icons/${aliases[name] ?? name}`)) as {
    __iconData: { node: readonly Node[] };
  };
  return `<symbol id="${name}" viewBox="0 0 24 24">${optimized(icon.node)}</symbol>`;
}

/** Returns a drawing of the same lines in fewer bytes. */
function optimized(nodes: readonly Node[]): string {
  // Only paths that follow one another become one, and all parts have one colour.
  const [others, paths] = [false, true].map((arePaths) =>
    nodes.filter(([name]) => (name === 'path' || name === 'line') === arePaths).map(element),
  );
  const drawing = optimize(`${open}${others?.join('')}${paths?.join('')}</svg>`, {
    floatPrecision: 2,
    plugins: [
      'convertShapeToPath',
      'convertPathData',
      { name: 'mergePaths', params: { force: true } },
    ],
  }).data;
  return drawing.slice(drawing.indexOf('>') + 1, drawing.lastIndexOf('<'));
}

function element([name, attributes]: Node): string {
  const written = Object.entries(attributes)
    .filter(([attribute]) => attribute !== 'key')
    .map(([attribute, value]) => ` ${attribute}="${value}"`);
  return `<${name}${written.join('')}/>`;
}

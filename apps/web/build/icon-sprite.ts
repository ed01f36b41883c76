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

const logo =
  '<symbol id="i-logo" viewBox="0 0 32 32"><path d="M27.2 12.1A12 12 0 1 1 21.6 5.4" stroke-width="3"/>' +
  '<path d="m10.4 16.4 4.4 4.4L27.4 7.2" stroke-width="3.4" class="tick"/></symbol>';

const mark = '<!--sprite-->';
const id = 'virtual:icon-symbols';

/**
 * Writes the icons into the pages once; each use refers to one of them. The server leaves out those that a page does not use,
 * so the script has them all: as the text of this module.
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

async function symbol(name: string): Promise<string> {
  const { __iconData: icon } = (await import(`lucide-react/icons/${aliases[name] ?? name}`)) as {
    __iconData: { node: readonly Node[] };
  };
  return `<symbol id="i-${name}" viewBox="0 0 24 24">${drawing(icon.node)}</symbol>`;
}

/** Lines and paths become one path, which is painted like its parts. */
function drawing(nodes: readonly Node[]): string {
  const isPath = ([name]: Node) => name === 'path' || name === 'line';
  const path = nodes.filter(isPath).map(absolutePath).join('');
  const others = nodes.filter((node) => !isPath(node)).map(element);
  return `${others.join('')}<path d="${path}"/>`;
}

function absolutePath([name, { d = '', x1, y1, x2, y2 }]: Node): string {
  if (name === 'line')
    return `M${x1} ${y1}${x1 === x2 ? `V${y2}` : y1 === y2 ? `H${x2}` : `L${x2} ${y2}`}`;
  const [, x, y, rest = ''] = /^[Mm] ?(-?[\d.]+)[ ,]?(-?[\d.]+)(.*)$/.exec(d) ?? [];
  // Coordinates after a move that have no command of their own are lines.
  const line = d.startsWith('m') && /^ ?[-\d.]/.test(rest) ? 'l' : '';
  return `M${x} ${y}${line}${rest.trimStart()}`;
}

function element([name, attributes]: Node): string {
  const written = Object.entries(attributes)
    .filter(([attribute]) => attribute !== 'key')
    .map(([attribute, value]) => ` ${attribute}="${value}"`);
  return `<${name}${written.join('')}/>`;
}

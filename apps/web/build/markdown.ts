import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt, { type Renderer, type Token } from 'markdown-it';
import { highlight } from './highlight.ts';

export interface Section {
  id: string;
  title: string;
}

export interface Guide {
  title: string;
  /** The first paragraph, as text. */
  summary: string;
  /** The headings of the second level, in order. */
  sections: Section[];
  html: string;
}

/** Path of the text from the root of the repository, and the ids given to its headings. */
interface Place {
  path: string;
  ids: Set<string>;
}

const root = new URL('../../../', import.meta.url);
/** Files and folders that are not Markdown and have a page. */
const otherPages: Record<string, string> = {
  'docs/openapi.json': '/docs/api-reference',
  'docs/nginx.conf': '/docs/nginx.conf',
  'docs/nginx-cache.conf': '/docs/nginx-cache.conf',
  'docs/decisions/': '/docs#decisions',
};
/** The folders of the texts, and the addresses below which their pages are. */
const folders: readonly [folder: string, address: string][] = [
  ['docs/', '/docs/'],
  ['apps/web/content/', '/'],
];

const markdown = new MarkdownIt({ html: false });

/**
 * A guide's text as HTML without its title. It holds no inline style and no script. The source of a
 * picture is its path from the root of the repository.
 */
export function renderMarkdown(path: string, text: string): Guide {
  const place: Place = { path, ids: new Set() };
  const tokens = markdown.parse(text, place);
  const title = textOf(tokens[1]);
  if (tokens[0]?.tag !== 'h1') throw new Error(`${path} does not begin with its title`);
  const body = tokens.slice(3);
  name(body, place);
  return {
    title,
    summary: textOf(body.find((_, at) => body[at - 1]?.type === 'paragraph_open')),
    sections: sectionsOf(body),
    html: markdown.renderer.render(body, markdown.options, place),
  };
}

/** The words alone. */
function textOf(token: Token | undefined): string {
  const parts = token?.children ?? [];
  return parts.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

function headings(tokens: Token[]): [Token, string][] {
  return tokens.flatMap((token, at): [Token, string][] =>
    token.type === 'heading_open' ? [[token, textOf(tokens[at + 1])]] : [],
  );
}

/** Gives every heading the name by which links lead to it, as GitHub does. */
function name(tokens: Token[], { ids }: Place): void {
  for (const [token, text] of headings(tokens)) {
    const plain = text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '');
    let id = plain.replaceAll(' ', '-');
    for (let count = 1; ids.has(id); count += 1) id = `${plain.replaceAll(' ', '-')}-${count}`;
    ids.add(id);
    token.attrSet('id', id);
    token.attrSet('tabindex', '-1');
  }
}

function sectionsOf(tokens: Token[]): Section[] {
  return headings(tokens)
    .filter(([token]) => token.tag === 'h2')
    .map(([token, title]) => ({ id: token.attrGet('id') ?? '', title }));
}

/** The address of the page that a link of a text leads to. */
function addressOf(link: string, { path }: Place): string {
  if (/^(https?:|mailto:|#|\/)/.test(link)) return link;
  const [file = '', fragment] = link.split('#', 2);
  const target = posix.join(posix.dirname(path), file);
  if (!existsSync(fileURLToPath(new URL(target, root)))) {
    throw new Error(`${path} links to ${link}, which does not exist`);
  }
  const page = otherPages[target] ?? pageOf(target);
  if (page === null) throw new Error(`${path} links to ${link}, which no page shows`);
  return fragment ? `${page}#${fragment}` : page;
}

/** The address of a Markdown file's page. */
function pageOf(file: string): string | null {
  const [folder, address] = folders.find(([folder]) => file.startsWith(folder)) ?? [];
  if (folder === undefined || address === undefined || !file.endsWith('.md')) return null;
  return address + file.slice(folder.length, -'.md'.length);
}

/**
 * The size in the header of a lossless WebP (RFC 9649, section 3.4): 14 bits each, less one, after
 * a signature.
 */
function sizeOf(file: string): { width: number; height: number } {
  const bytes = readFileSync(new URL(file, root));
  if (bytes.toString('latin1', 12, 16) !== 'VP8L')
    throw new Error(`${file} is not a lossless WebP`);
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

const { rules } = markdown.renderer;

rules.link_open = (tokens, at, options, env: Place, self: Renderer) => {
  const token = tokens[at];
  if (token) {
    const address = addressOf(token.attrGet('href') ?? '', env);
    token.attrSet('href', address);
    if (/^https?:/.test(address)) token.attrSet('rel', 'noreferrer');
  }
  return self.renderToken(tokens, at, options);
};

/**
 * A picture of the product: `NAME-dark.webp`, with `NAME-light.webp` beside it for the light theme.
 */
rules.image = (tokens, at, _options, { path }: Place) => {
  const alt = tokens[at]?.content ?? '';
  const dark = posix.join(posix.dirname(path), tokens[at]?.attrGet('src') ?? '');
  if (!dark.endsWith('-dark.webp'))
    throw new Error(`${path} shows ${dark}, which has no dark theme`);
  const image = (theme: 'dark' | 'light') => {
    const file = dark.replace(/-dark\.webp$/, `-${theme}.webp`);
    const { width, height } = sizeOf(file);
    return (
      `<img src="${file}" alt="${markdown.utils.escapeHtml(alt)}" data-shown-in="${theme}"` +
      ` width="${width}" height="${height}" loading="lazy" decoding="async">`
    );
  };
  return image('dark') + image('light');
};

rules.heading_close = (tokens, at, options, _env, self) => {
  const [open, inline] = [tokens[at - 2], tokens[at - 1]];
  const id = open?.attrGet('id') ?? '';
  const label = markdown.utils.escapeHtml(`Link to “${textOf(inline)}”`);
  const link = `<a class="anchor" href="#${id}" aria-label="${label}">#</a>`;
  return link + self.renderToken(tokens, at, options);
};

rules.fence = (tokens, at) => {
  const { content = '', info = '' } = tokens[at] ?? {};
  const language = info.trim();
  const code = highlight(content.replace(/\n$/, ''), language);
  return (
    `<figure class="code"><figcaption><span>${markdown.utils.escapeHtml(language || 'text')}</span>` +
    '<button type="button" data-copy>Copy</button></figcaption>' +
    `<pre tabindex="0"><code>${code}</code></pre></figure>\n`
  );
};

rules.table_open = () =>
  '<div class="prose-table" role="group" tabindex="0" aria-label="Table"><table>\n';
rules.table_close = () => '</table></div>\n';

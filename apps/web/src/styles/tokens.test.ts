import { describe, expect, it } from 'vitest';
import adapted from './tokens-adapted.css?raw';
import css from './tokens.css?raw';

type Tokens = Record<string, string>;

function tokensOf(selector: string): Tokens {
  const block = css.split(`${selector} {`)[1]?.split('}')[0] ?? '';
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((start) => {
    const channel = parseInt(hex.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ['canvas', 'surface', 'raised', 'hover', 'selected'];
const statuses = ['operational', 'degraded', 'partial', 'major', 'maintenance', 'neutral'];

const textPairs = [
  ...['ink', 'muted', 'accent'].flatMap((text) => grounds.map((ground) => [text, ground])),
  ...['canvas', 'surface', 'raised'].map((ground) => ['subtle', ground]),
  ...statuses.flatMap((status) => [...grounds, `${status}-soft`].map((ground) => [status, ground])),
  ...statuses.map((status) => ['ink', `${status}-soft`]),
  ['on-primary', 'primary'],
  ['on-primary', 'primary-hover'],
  ['on-danger', 'danger'],
  ['on-danger', 'danger-hover'],
  ['accent', 'accent-soft'],
] as [string, string][];

const markPairs = ['focus', 'line-strong', ...statuses.map((status) => `${status}-solid`)].flatMap(
  (mark) => ['canvas', 'surface', 'raised'].map((ground): [string, string] => [mark, ground]),
);

describe.each([
  ['dark', tokensOf("[data-theme='dark']")],
  ['light', tokensOf(':root')],
])('the %s theme', (_name, tokens) => {
  const value = (token: string) => {
    const found = tokens[token];
    if (found === undefined) throw new Error(`no token ${token}`);
    return found;
  };

  it.each(textPairs)('keeps the text %s readable on %s', (text, ground) => {
    expect(contrast(value(text), value(ground))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(markPairs)('keeps the mark %s visible on %s', (mark, ground) => {
    expect(contrast(value(mark), value(ground))).toBeGreaterThanOrEqual(3);
  });
});

it('prints on white: the dark theme is for screens, and paper says nothing else in colours of its own', () => {
  const [before = '', after = ''] = css.split('@media screen {');
  expect(before).not.toContain('color-scheme: dark');
  expect(after.trimStart()).toMatch(/^\[data-theme='dark'\] \{\s+color-scheme: dark;/);
  const [, paper = ''] = adapted.split('@media print {');
  const printed = [...paper.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name]) => name);
  expect(printed).toEqual(['canvas', 'line', 'ink', 'muted', 'subtle']);
});

it('gives both themes the same tokens', () => {
  expect(Object.keys(tokensOf("[data-theme='dark']"))).toEqual(Object.keys(tokensOf(':root')));
});

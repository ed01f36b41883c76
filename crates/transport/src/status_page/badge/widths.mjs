// Writes widths.txt: the advance widths of DejaVu Sans, in 2048ths of its size, 16 characters a
// line; 0 where it has no glyph. Verdana, which badges ask for first, has nearly the same widths.
// Run from this folder: node widths.mjs /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf Tables and
// formats: https://learn.microsoft.com/typography/opentype/spec/cmap and …/hmtx
import { readFileSync, writeFileSync } from 'node:fs';

/** Scripts that need no shaping, Hebrew and Arabic as written, punctuation, and symbols. */
const blocks = [
  [0x0020, 0x06ff],
  [0x1e00, 0x20cf],
  [0x2100, 0x27bf],
];

const file = readFileSync(process.argv[2]);
const tables = new Map();
for (let index = 0; index < file.readUInt16BE(4); index += 1) {
  const entry = 12 + 16 * index;
  tables.set(file.toString('latin1', entry, entry + 4), file.readUInt32BE(entry + 8));
}
const unitsPerEm = file.readUInt16BE(tables.get('head') + 18);
if (unitsPerEm !== 2048) throw new Error(`The font has ${unitsPerEm} units`);

const lastMetric = file.readUInt16BE(tables.get('hhea') + 34) - 1;
const advance = (glyph) => file.readUInt16BE(tables.get('hmtx') + 4 * Math.min(glyph, lastMetric));

const cmap = tables.get('cmap');
const subtables = Array.from({ length: file.readUInt16BE(cmap + 2) }, (_, index) =>
  cmap + file.readUInt32BE(cmap + 8 + 8 * index),
);
/**
 * Segmented coverage: groups of a first character, a last character, and the glyph of the first.
 */
const coverage = subtables.find((at) => file.readUInt16BE(at) === 12);
const widths = new Map();
for (let index = 0; index < file.readUInt32BE(coverage + 12); index += 1) {
  const group = coverage + 16 + 12 * index;
  const [first, last, glyph] = [0, 4, 8].map((offset) => file.readUInt32BE(group + offset));
  for (let code = first; code <= last; code += 1) widths.set(code, advance(glyph + code - first));
}

const lines = blocks.flatMap(([first, last]) => {
  const rows = [];
  for (let row = first; row <= last; row += 16) {
    const row16 = Array.from({ length: 16 }, (_, column) => widths.get(row + column) ?? 0);
    if (row16.some((width) => width > 0)) rows.push(`${row.toString(16)} ${row16.join(' ')}`);
  }
  return rows;
});
writeFileSync('widths.txt', `${lines.join('\n')}\n`);

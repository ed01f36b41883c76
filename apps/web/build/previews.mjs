import { Buffer } from 'node:buffer';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { URL } from 'node:url';
import { chromium } from '@playwright/test';

/* Draws the pictures for link previews of status pages, one for each status, into public/, and favicon.svg as
   favicon.ico, which browsers request from every site. They are kept in the repository: `npm run previews`, which
   needs pngquant, draws them again. */

const statuses = {
  operational: {
    tone: '#3fb57f',
    soft: '#0f261d',
    text: 'All Systems Operational',
    icon: 'm16 9-5.5 5.5L8 12',
  },
  degraded: {
    tone: '#e0b93a',
    soft: '#282210',
    text: 'Degraded Performance',
    icon: 'M12 7v6M12 17h.01',
  },
  partial: { tone: '#ec8541', soft: '#2c1c11', text: 'Partial Outage', icon: 'M12 7v6M12 17h.01' },
  major: { tone: '#ea5a58', soft: '#2f1618', text: 'Major Outage', icon: 'm15 9-6 6M9 9l6 6' },
  maintenance: {
    tone: '#4f9ff0',
    soft: '#10223a',
    text: 'Maintenance in Progress',
    icon: 'M12 7v5l3 2',
  },
  unknown: { tone: '#7d8a9c', soft: '#1a212b', text: 'Status', icon: 'M7 12h3l2-4 2 8 1-4h2' },
};

/** @param {{ tone: string, soft: string, text: string, icon: string }} status */
function picture({ tone, soft, text, icon }) {
  return `<!doctype html><style>
    body { margin: 0; width: 1200px; height: 630px; box-sizing: border-box; padding: 72px 80px; display: flex;
      flex-direction: column; justify-content: space-between; color: #e9eef5;
      font-family: Inter, system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif;
      background: ${soft}; }
    .mark { display: flex; align-items: center; gap: 20px; font-size: 34px; color: #a7b3c3; }
    .status { display: flex; align-items: center; gap: 48px; }
    .status p { margin: 0; font-size: 76px; line-height: 1.1; font-weight: 650; letter-spacing: -0.025em; }
    .disk { flex: none; display: grid; place-items: center; width: 168px; height: 168px; border-radius: 50%;
      background: ${tone}; }
    .bar { height: 10px; border-radius: 5px; background: ${tone}; }
  </style>
  <div class="mark"><svg width="56" height="56" viewBox="0 0 32 32" fill="none" stroke-linecap="round">
    <path d="M27.2 12.1A12 12 0 1 1 21.6 5.4" stroke="#e9eef5" stroke-width="3"/>
    <path d="m10.4 16.4 4.4 4.4L27.4 7.2" stroke="#3fb57f" stroke-width="3.4" stroke-linejoin="round"/></svg>
    Allclear Status</div>
  <div class="status"><div class="disk"><svg width="128" height="128" viewBox="0 0 24 24" fill="none" stroke="#0b0f14"
    stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"><path d="${icon}"/></svg></div>
    <p>${text}</p></div>
  <div class="bar"></div>`;
}

/**
 * An ICO file: six bytes, sixteen for each picture, and the pictures, which may be PNGs.
 *
 * @param {{ size: number, png: Buffer }[]} pictures
 */
function icon(pictures) {
  let offset = 6 + 16 * pictures.length;
  const head = Buffer.from([0, 0, 1, 0, pictures.length, 0]);
  const entries = pictures.map(({ size, png }) => {
    const entry = Buffer.from([size, size, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    entry.writeUInt32LE(png.byteLength, 8);
    entry.writeUInt32LE(offset, 12);
    offset += png.byteLength;
    return entry;
  });
  return Buffer.concat([head, ...entries, ...pictures.map(({ png }) => png)]);
}

const folder = new URL('../public/', import.meta.url);
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  ...(process.env.CHROMIUM && { executablePath: process.env.CHROMIUM }),
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
for (const [name, status] of Object.entries(statuses)) {
  await page.setContent(picture(status));
  await writeFile(new URL(`preview-${name}.png`, folder), await page.screenshot({ type: 'png' }));
}
const mark = await readFile(new URL('favicon.svg', folder), 'utf8');
await page.setContent(
  `<style>body { margin: 0 } svg { display: block; width: 100vw }</style>${mark}`,
);
const pictures = [];
for (const size of [16, 32, 48]) {
  await page.setViewportSize({ width: size, height: size });
  pictures.push({ size, png: await page.screenshot({ type: 'png', omitBackground: true }) });
}
await writeFile(new URL('favicon.ico', folder), icon(pictures));
await browser.close();

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

interface Row {
  file: string;
  test: string;
}

interface Suite {
  file: string;
  specs: { title: string }[];
  suites?: Suite[];
}

const web = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The rows of docs/conformance.md whose path begins with `folder`. The Rust rows are checked by the
 * server's tests.
 */
async function rowsIn(folder: string): Promise<Row[]> {
  const document = await readFile(`${web}/../../docs/conformance.md`, 'utf8');
  const rows = document.matchAll(/^\| .* \| `([^`]+)` (.+) \|$/gm);
  return Array.from(rows, ([, file = '', test = '']) => ({ file, test }))
    .filter(({ file }) => file.startsWith(folder))
    .map(({ file, test }) => ({ file: file.slice(folder.length), test }));
}

/** What a runner prints. It must not take itself for a part of the run that starts it. */
async function run(runner: string, ...args: string[]): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE_|TEST$|NODE_ENV$)/.test(name)),
  );
  const options = { cwd: web, env, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(`${web}/node_modules/.bin/${runner}`, args, options);
  return stdout;
}

/**
 * The rows that name no test. A row names a test by its title, or by the titles of its groups and
 * its own.
 */
function missing(rows: Row[], tests: Row[]): Row[] {
  const known = new Set(
    tests.flatMap(({ file, test }) => [`${file} ${test}`, `${file} ${test.split(' > ').at(-1)}`]),
  );
  return rows.filter(({ file, test }) => !known.has(`${file} ${test}`));
}

it('names unit tests that exist in docs/conformance.md', async () => {
  const rows = await rowsIn('web/');
  expect(rows.length).toBeGreaterThan(150);
  // Parsed, not run: seconds instead of minutes. A test of a table has its template as title.
  const list = await run('vitest', 'list', '--static-parse', '--json');
  const tests = JSON.parse(list) as { file: string; name: string }[];
  const named = tests.map(({ file, name }) => ({ file: relative(`${web}/src`, file), test: name }));
  expect(missing(rows, named)).toEqual([]);
}, 120_000);

it('names browser tests that exist in docs/conformance.md', async () => {
  const rows = await rowsIn('e2e/');
  expect(rows.length).toBeGreaterThan(10);
  const list = await run('playwright', 'test', '--list', '--reporter', 'json');
  const testsIn = ({ file, specs, suites = [] }: Suite): Row[] => [
    ...specs.map(({ title }) => ({ file, test: title })),
    ...suites.flatMap(testsIn),
  ];
  const { suites } = JSON.parse(list) as { suites: Suite[] };
  expect(missing(rows, suites.flatMap(testsIn))).toEqual([]);
}, 120_000);

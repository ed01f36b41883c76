// Measures a page of the audit log by HTTP: the whole request, in turns in an organisation with
// 1,000 items and in one with 1,000,000. It uses the PostgreSQL server that
// ALLCLEAR_TEST_POSTGRES_URL names, and needs psql.
//
// node crates/server/benches/audit.mjs [path of the allclear binary]
//
// Prints one JSON object per line: the measurements, and the budgets.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { recreate } from './postgres.mjs';
import { Bench } from './results.mjs';
import { Site } from './site.mjs';

const binary = process.argv[2] ?? 'target/release/allclear';
const server = process.env.ALLCLEAR_TEST_POSTGRES_URL;
const bench = new Bench('audit-calls');
const FEW = 1_000;
const MANY = 1_000_000;
const ROUNDS = 300;
/** Number of items of a page. */
const LIMIT = 50;
/** Number of different actors and things, each with the same share of the items. */
const KINDS = 10;
/** Maximum cost of a page among many items, as a multiple of the cost among few. */
const BUDGET = 1.2;

/** Items of changes that were made a minute ago and earlier, one per millisecond. */
function items(organisation, count) {
  const first = Date.now() - 60_000 - count;
  return `INSERT INTO audit_items (id, organisation_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id,
    target_name, state_before, state_after)
    SELECT (lpad(to_hex(${first} + n), 12, '0') || '70008000000000000000')::uuid, '${organisation}', to_timestamp((${first} + n) / 1000.0),
    'USER', 'user_' || (n % ${KINDS}), 'Ann', 'component.updated', 'COMPONENT', 'thing_' || (n % ${KINDS}), 'API',
    '{"status":"OPERATIONAL"}', '{"status":"DEGRADED"}' FROM generate_series(1, ${count}) n; ANALYZE;`;
}

/**
 * Starts a server whose only organisation has this many further items. Returns the organisation,
 * and the cursor of the middle item.
 */
async function startSide(folder, count) {
  const database = recreate(server, `audit_calls_${count}`);
  const site = await Site.start(binary, folder, { ALLCLEAR_DATABASE_URL: database });
  await site.signUp();
  const organisation = await site.organisation('Acme');
  execFileSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', database, '-c', items(organisation, count)]);
  const time = Date.now() - 60_000 - Math.floor(count / 2);
  const hex = time.toString(16).padStart(12, '0');
  return { site, organisation, middle: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000` };
}

/** The query of each page. */
const pages = {
  newest: () => '',
  middle: (side) => `&before=${side.middle}`,
  "a person's": () => '&actorId=user_3',
  "a thing's middle": (side) => `&targetId=thing_3&before=${side.middle}`,
};

/** Time of a request that nothing else disturbs: the first tenth. */
const undisturbed = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)];

async function compare(few, many) {
  for (const [name, query] of Object.entries(pages)) {
    const sides = [few, many].map((side) => ({ side, path: `/audit?limit=${LIMIT}${query(side)}`, times: [] }));
    for (const it of sides) it.headers = await it.side.site.bearer(it.side.organisation);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { side, path, headers, times } of sides) {
        const begun = performance.now();
        const { data } = await side.site.call('GET', path, headers);
        times.push(performance.now() - begun);
        if (data.length !== LIMIT) throw new Error(`${path}: ${data.length} items`);
      }
    }
    const [beside, besideMany] = sides.map(({ times }) => 1000 * undisturbed(times));
    const what = `${name} ${LIMIT} items by HTTP, PostgreSQL`;
    bench.measurement(what, { microsecondsBesideFew: Math.round(beside), microsecondsBesideMany: Math.round(besideMany) });
    bench.atMost(`${what}: beside ${MANY} items, of beside ${FEW}`, besideMany / beside, BUDGET);
  }
}

const folders = [];
const sides = [];
try {
  for (const count of [FEW, MANY]) {
    const folder = await mkdtemp(join(tmpdir(), 'allclear-audit-bench-'));
    folders.push(folder);
    sides.push(await startSide(folder, count));
  }
  await compare(...sides);
} finally {
  for (const { site } of sides) await site.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}

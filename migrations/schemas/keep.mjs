// Keeps the schema of a release: has its server fill a database of each kind, a row or more in
// every table, and writes what is then in it to `VERSION.sqlite.sql` and `VERSION.postgresql.sql`
// beside this file. ./just keep-schema VERSION Needs sqlite3, psql and pg_dump.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const [version, program] = process.argv.slice(2);
const server = process.env.ALLCLEAR_TEST_POSTGRES_URL;
const PASSWORD = 'correct horse battery';
const OUTPUT = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };

const HEAD = `-- Allclear ${version}, as a database that its server has filled: nobody's data, and nobody's secrets.
-- Made by keep.mjs. Never edited: a test starts the present version on it.
`;

// Rows that only a hosted identity provider causes.
const DIRECTORY = `
INSERT INTO directory_names (id, name, as_of) SELECT 'user_kept', 'Grace', min(created_at) FROM organisations;
INSERT INTO directory_revocations (kind, id, ended_at) SELECT 'session', 'sess_kept', min(created_at) FROM organisations;
INSERT INTO directory_messages (id, handled_at) SELECT 'msg_kept', min(created_at) FROM organisations;
`;

// Rows that wait for a link which is never followed.
const PENDING = `
INSERT INTO pending_sign_ups (digest, name, email, email_key, password, created_at, expires_at)
SELECT 'digest_kept', 'Hedy', 'hedy@example.com', 'hedy@example.com', 'hash_kept', min(created_at), min(created_at) FROM organisations;
INSERT INTO pending_addresses (user_id, digest, email, expires_at)
SELECT id, 'digest_kept', 'ada@new.example', created_at FROM users WHERE email_key = 'ada@example.com';
INSERT INTO totp_factors (user_id, nonce, last_step, created_at)
SELECT id, 'nonce_kept', 0, created_at FROM users WHERE email_key = 'ada@example.com';
INSERT INTO passkeys (id, user_id, name, credential_id, credential, sign_count, created_at)
SELECT id, id, 'Phone', 'credential_kept', '{}', 0, created_at FROM users WHERE email_key = 'ada@example.com';
INSERT INTO used_challenges (digest, expires_at) SELECT 'digest_kept', min(created_at) FROM organisations;
INSERT INTO openid_accounts (issuer, subject, user_id, created_at)
SELECT 'https://id.example', 'subject_kept', id, created_at FROM users WHERE email_key = 'ada@example.com';
INSERT INTO openid_sessions (session_id, provider, id_token) SELECT id, 'okta', 'token_kept' FROM sessions LIMIT 1;
INSERT INTO factor_requirements (organisation_id) SELECT min(id) FROM organisations;
INSERT INTO recovery_codes (digest, user_id) SELECT 'digest_kept', id FROM users WHERE email_key = 'ada@example.com';
`;

// Rows that need a name server, a time that has passed, or another authentication.
const LATER = `
INSERT INTO domain_claims (organisation_id, name, token, status, created_at)
SELECT id, 'status.kept.example', 'token_kept', 'PENDING', created_at FROM organisations;
INSERT INTO operator_mails (id, organisation_id, user_id, incident_id, content, created_at, due_at, attempts)
SELECT incidents.id, organisation_id, users.id, incidents.id, '{}', incidents.created_at, incidents.created_at, 0 FROM incidents, users
WHERE email_key = 'ada@example.com';
INSERT INTO api_keys (id, organisation_id, name, role, prefix, digest, created_at)
SELECT id, organisation_id, 'Deploy', 'editor', 'prefix_kept', 'digest_kept', created_at FROM incidents;
INSERT INTO idempotent_responses (organisation_id, name, request, sealed, number, total_bytes, created_at)
SELECT id, 'name_kept', 'request_kept', 'sealed_kept', 1, 11, created_at FROM organisations;
`;

async function until(found) {
  for (let tries = 0; tries < 300; tries += 1) {
    const value = await found();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`in vain: ${found}`);
}

/** Starts a server, runs `calls` against it as a browser would, and stops it. */
async function serving(folder, settings, calls) {
  const env = { ALLCLEAR_DATA_DIR: folder, ALLCLEAR_LISTEN: '127.0.0.1:0', ALLCLEAR_LOG: 'off', ...settings };
  env.ALLCLEAR_PUBLIC_URL = 'http://kept.example';
  const child = spawn(resolve(program), [], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('it ended')));
    lines.on('line', (line) => {
      const address = /^\s*Listens\s+(\S+)/.exec(line)?.[1];
      if (address) resolve(`http://${address}/api/v1`);
    });
  });
  const headers = { 'content-type': 'application/json' };
  const call = async (path, body, method = body ? 'POST' : 'GET') => {
    const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    if (cookies.length > 0) headers.cookie ??= cookies.join('; ');
    return text ? JSON.parse(text).data : undefined;
  };
  const enter = async (organisationId) => {
    const { token } = await call('/identity/token', { organisationId });
    headers.authorization = `Bearer ${token}`;
  };
  try {
    await calls(call, enter);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** The link that verifies an address: without a mail server each mail is a file. */
function verification(folder) {
  const mails = readdirSync(join(folder, 'mail')).map((name) => readFileSync(join(folder, 'mail', name), 'utf8'));
  const unbroken = mails.join('').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  return /\/verify\?[\w%&=.*+-]*[\w-]/.exec(unbroken)?.[0];
}

async function fill(folder, database) {
  let organisation;
  const ada = { email: 'ada@example.com', password: PASSWORD };
  const settings = { ...database, ALLCLEAR_SIGN_UP: 'waitlist' };
  await serving(folder, settings, async (call, enter) => {
    await call('/identity/sign-up', { name: 'Ada', ...ada });
    ({ id: organisation } = await call('/identity/organisations', { name: 'Acme' }));
    await enter(organisation);
    await call(`/identity/organisations/${organisation}/invitations`, { email: 'eve@example.com', role: 'member' });
    await call('/identity/password-reset', { email: ada.email });
    await call('/identity/sign-up', { name: 'Zoe', email: 'zoe@example.com', password: PASSWORD });
    await call('/subscriber', { email: 'ann@example.com' });
    const link = await until(() => verification(folder));
    await call('/subscriber/verify', Object.fromEntries(new URLSearchParams(link.split('?')[1])));
  });
  // Mail waits from here on, because no server listens at that port.
  const unreachable = { ...settings, ALLCLEAR_SMTP_URL: 'smtp://127.0.0.1:1' };
  await serving(folder, unreachable, async (call, enter) => {
    await call('/identity/sign-in', ada);
    await enter(organisation);
    const { id: groupId } = await call('/component-group/create', { name: 'Platform' });
    const { id: component } = await call('/component/create', { name: 'API', description: 'Everything', groupId });
    const components = [{ componentId: component, status: 'MAJOR_OUTAGE' }];
    const incident = { title: 'Down', description: 'All of it', status: 'INVESTIGATING', components };
    const { id } = await call('/incident/create', { ...incident, occuredAt: '2026-01-01T10:00' });
    await call(`/incident/${id}/updates/create`, { message: 'Found it', status: 'IDENTIFIED' });
    await call(`/incident/${id}/review`, { body: 'What happened' }, 'PUT');
    const maintenance = { title: 'Upgrade', description: 'New disks', startAt: '2026-01-01T10:00', components: [component] };
    const { id: planned } = await call('/maintenance/create', maintenance);
    await call(`/maintenance/${planned}/updates/create`, { message: 'Begun', status: 'MONITORING' });
    await call('/subscriber', { email: 'bob@example.com', components: [component], groups: [groupId] });
    await until(async () => (await call('/subscriber/deliveries')).waiting > 0);
  });
}

async function keep(kind, database, run) {
  const folder = mkdtempSync(join(tmpdir(), 'allclear-schema-'));
  try {
    await fill(folder, database);
    const dump = run(folder);
    writeFileSync(new URL(`${version}.${kind}.sql`, import.meta.url), HEAD + dump);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await keep('sqlite', {}, (folder) => {
  const file = join(folder, 'allclear.db');
  return execFileSync('sqlite3', [file], { ...OUTPUT, input: `${DIRECTORY}${PENDING}${LATER}.dump\n` });
});

const url = `${server}/kept_${version.replaceAll('.', '_')}`;
execFileSync('psql', [`${server}/postgres`, '-qc', `CREATE DATABASE ${url.split('/').pop()}`]);
await keep('postgresql', { ALLCLEAR_DATABASE_URL: url }, () => {
  execFileSync('psql', [url, '-q'], { input: DIRECTORY + PENDING + LATER });
  const dump = execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url], OUTPUT);
  // What belongs to this program and this session, not to the database.
  return dump.replace(/^(--.*|\\.*|SET .*|SELECT pg_catalog\.set_config.*)\n/gm, '').replace(/\n{2,}/g, '\n\n');
});

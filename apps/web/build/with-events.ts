import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveEventNames } from '../src/realtime/live-events.ts';
import { symbol } from './icon-sprite.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/**
 * Returns a script of this folder behind the one that follows the events of its page, with what
 * they lack.
 */
export async function withEvents(name: string): Promise<string> {
  const moon = JSON.stringify(await symbol('moon'));
  return (read('follow-events.js') + read(name))
    .replace('EVENTS', () => JSON.stringify(liveEventNames))
    .replace('MOON', () => moon);
}

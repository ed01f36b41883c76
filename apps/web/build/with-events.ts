import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveEventNames } from '../src/realtime/live-events.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** Returns a script of this folder behind the one that follows the events of its page. */
export function withEvents(name: string): string {
  return read('follow-events.js').replace('EVENTS', JSON.stringify(liveEventNames)) + read(name);
}

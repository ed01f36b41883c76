import { expect, it } from 'vitest';
import { readServerClock } from '@/api/server-clock';
import { keySchema, newKey } from './api-key';

it('takes an expiry in the future of the server’s clock', () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const expiresAt = inMinutes(5).toISOString();
  const setServerClock = (now: Date) =>
    readServerClock(new Response(null, { headers: { Date: now.toUTCString() } }));
  expect(keySchema.isValidSync({ ...newKey, name: 'Deploy', expiresAt })).toBe(true);
  setServerClock(inMinutes(10));
  expect(keySchema.isValidSync({ ...newKey, name: 'Deploy', expiresAt })).toBe(false);
});

import { http, HttpResponse } from 'msw';
import { afterEach, expect, it, vi } from 'vitest';
import { apiUrl, server } from '@/testing/server';
import { anonymousApi } from './anonymous-api';
import { readServerClock, serverNow } from './server-clock';

const browserTime = new Date('2026-12-01T22:00:00.400Z');

afterEach(() => {
  readServerClock(new Response(null, { headers: { Date: new Date().toUTCString() } }));
});

/** Returns the server's time after a response with this `Date` header. */
async function timeAfter(date: string, status = 200): Promise<string> {
  server.use(
    http.get(apiUrl('/component/list'), () =>
      HttpResponse.json({ data: [] }, { status, headers: { Date: date } }),
    ),
  );
  vi.useFakeTimers({ now: browserTime, toFake: ['Date'] });
  await anonymousApi.get('/component/list').catch(() => undefined);
  const time = serverNow().toISOString();
  vi.useRealTimers();
  return time;
}

it.each([
  ['fast', 'Tue, 01 Dec 2026 21:45:00 GMT', '2026-12-01T21:45:00.000Z'],
  ['slow', 'Tue, 01 Dec 2026 22:10:00 GMT', '2026-12-01T22:10:00.000Z'],
  ['right', 'Tue, 01 Dec 2026 21:59:59 GMT', browserTime.toISOString()],
])('returns the server’s time with a browser clock that is %s', async (_, date, time) => {
  await expect(timeAfter(date)).resolves.toBe(time);
});

it('reads the clock also from a failure, and not from an invalid date', async () => {
  const time = '2026-12-01T21:45:00.000Z';
  await expect(timeAfter('Tue, 01 Dec 2026 21:45:00 GMT', 403)).resolves.toBe(time);
  await expect(timeAfter('yesterday')).resolves.toBe(time);
});

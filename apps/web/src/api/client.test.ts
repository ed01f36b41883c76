import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { success, apiUrl, problem, server } from '@/testing/server';
import { createApiClient, type Reauthenticate } from './client';
import { ApiError } from './error';
import { onReachable } from './reachable';

const anonymous = createApiClient(() => Promise.resolve(null));
const signedIn = createApiClient(() => Promise.resolve('the-token'));

describe('the API client', () => {
  it('sends the current token as a bearer token', async () => {
    let authorization: string | null = null;
    server.use(
      http.get(apiUrl('/component/list'), ({ request }) => {
        authorization = request.headers.get('Authorization');
        return success([]);
      }),
    );
    await signedIn.get('/component/list');
    expect(authorization).toBe('Bearer the-token');
  });

  it('sends no authorization with an anonymous request', async () => {
    server.use(
      http.get(apiUrl('/status/o'), ({ request }) => success(request.headers.has('Authorization'))),
    );
    await expect(anonymous.get('/status/o')).resolves.toMatchObject({ data: false });
  });

  it('waits for a response without a time limit', async () => {
    vi.useFakeTimers();
    const hour = 3_600_000;
    const asked = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(
        () => new Promise((give) => setTimeout(() => give(Response.json({ data: 'late' })), hour)),
      );
    const late = anonymous.get('/status/o');
    await vi.advanceTimersByTimeAsync(hour);
    vi.useRealTimers();
    await expect(late).resolves.toMatchObject({ data: 'late' });
    expect(asked.mock.lastCall?.[1]?.signal).not.toBeInstanceOf(AbortSignal);
    asked.mockRestore();
  });

  it('unwraps data, message, next page and version', async () => {
    server.use(
      http.get(apiUrl('/component/1'), () =>
        success({ id: '1' }, { message: 'Here', next: 'c-9', etag: '"7"' }),
      ),
    );
    await expect(anonymous.get('/component/1')).resolves.toEqual({
      data: { id: '1' },
      message: 'Here',
      next: 'c-9',
      meta: { next: 'c-9' },
      etag: '"7"',
    });
  });

  it('reports successful responses, and no others', async () => {
    const reached = vi.fn();
    const stop = onReachable(reached);
    server.use(
      http.get(apiUrl('/component/1'), () => success({ id: '1' })),
      http.get(apiUrl('/component/2'), () => problem(503, 'Try again later')),
      http.get(apiUrl('/component/3'), () => HttpResponse.error()),
    );
    await expect(anonymous.get('/component/2')).rejects.toThrow(ApiError);
    await expect(anonymous.get('/component/3')).rejects.toThrow(ApiError);
    expect(reached).not.toHaveBeenCalled();
    await anonymous.get('/component/1');
    expect(reached).toHaveBeenCalledOnce();
    stop();
  });

  it('sends the body as JSON and the version it was made on', async () => {
    const seen = vi.fn();
    server.use(
      http.patch(apiUrl('/component/1'), async ({ request }) => {
        seen(await request.json(), request.headers.get('If-Match'));
        return success({});
      }),
    );
    await signedIn.patch('/component/1', { name: 'API' }, { ifMatch: '"7"' });
    expect(seen).toHaveBeenCalledWith({ name: 'API' }, '"7"');
  });

  it('asks once more with a fresh token when the token is refused', async () => {
    const getToken = vi.fn((options?: { skipCache?: boolean }) =>
      Promise.resolve(options?.skipCache ? 'fresh' : 'stale'),
    );
    server.use(
      http.get(apiUrl('/component/list'), ({ request }) =>
        request.headers.get('Authorization') === 'Bearer fresh'
          ? success(['a'])
          : problem(401, 'No valid token'),
      ),
    );
    await expect(createApiClient(getToken).get('/component/list')).resolves.toMatchObject({
      data: ['a'],
    });
  });

  it('reports a refused request, but not one that the user has to confirm', async () => {
    const forbidden = vi.fn();
    const client = createApiClient(
      () => Promise.resolve('t'),
      () => Promise.resolve(false),
      forbidden,
    );
    const type = 'https://allclear.example/problems/re-authentication-required';
    server.use(
      http.delete(apiUrl('/organisation'), () => HttpResponse.json({ type }, { status: 403 })),
      http.delete(apiUrl('/component/1'), () => problem(403, 'You may not do this')),
      http.delete(apiUrl('/component/2'), () => problem(404, 'No such component')),
    );
    await expect(client.delete('/organisation')).rejects.toThrow(ApiError);
    await expect(client.delete('/component/2')).rejects.toThrow(ApiError);
    expect(forbidden).not.toHaveBeenCalled();
    await expect(client.delete('/component/1')).rejects.toThrow('You may not do this');
    expect(forbidden).toHaveBeenCalledOnce();
  });

  describe('sends a create', () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const body = { title: 'Checkout fails' };

    /** Responds to creates in this order, then with success. Returns the keys of the requests. */
    function serveCreates(...responses: (() => Response)[]) {
      const keys: (string | null)[] = [];
      server.use(
        http.post(apiUrl('/:kind/create'), ({ request }) => {
          keys.push(request.headers.get('Idempotency-Key'));
          return responses.shift()?.() ?? success({}, { status: 201 });
        }),
      );
      return keys;
    }

    it('with a key of its own', async () => {
      const keys = serveCreates();
      await signedIn.post('/incident/create', body);
      await signedIn.post('/incident/create', body);
      expect(keys).toEqual([expect.stringMatching(uuid), expect.stringMatching(uuid)]);
      expect(keys[0]).not.toBe(keys[1]);
    });

    it.each([
      ['the response was lost', () => HttpResponse.error()],
      ['the response was cut off', () => new HttpResponse('{"data":', { status: 201 })],
      ['a proxy gave up waiting', () => problem(504, 'Gateway Timeout')],
      ['the first attempt was in progress', () => problem(409, 'Conflict')],
      ['the limit was reached', () => problem(429, 'Too many requests')],
      ['the token was refused', () => problem(401, 'Please sign in')],
      ['the role had changed', () => problem(403, 'You may not do this')],
    ])('again with the same key after %s', async (_, fail) => {
      const keys = serveCreates(() => HttpResponse.error(), fail);
      await expect(signedIn.post('/incident/create', body)).rejects.toMatchObject({ status: 0 });
      await expect(signedIn.post('/incident/create', body)).rejects.toBeInstanceOf(ApiError);
      await signedIn.post('/incident/create', body);
      expect(new Set(keys)).toEqual(new Set([expect.stringMatching(uuid)]));
      expect(keys).toHaveLength(3);
    });

    it.each([
      ['success', () => success({}, { status: 201 })],
      ['a refusal of the content', () => problem(422, 'Title is taken')],
    ])('with another key after %s', async (_, respond) => {
      const keys = serveCreates(() => HttpResponse.error(), respond);
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await signedIn.post('/incident/create', body).catch(() => undefined);
      }
      expect(keys[1]).toBe(keys[0]);
      expect(keys[2]).not.toBe(keys[0]);
    });

    it('with another key if the content or the call is another', async () => {
      const lost = () => HttpResponse.error();
      const keys = serveCreates(lost, lost, lost);
      for (const [path, content] of [
        ['/incident/create', body],
        ['/incident/create', { title: 'Checkout works' }],
        ['/maintenance/create', body],
      ] as const) {
        await expect(signedIn.post(path, content)).rejects.toMatchObject({ status: 0 });
      }
      expect(new Set(keys).size).toBe(3);
    });

    it('with the same key when the user has authenticated again or the token is renewed', async () => {
      const type = '/problems/re-authentication-required';
      const keys = serveCreates(
        () => problem(401, 'No valid token'),
        () => HttpResponse.json({ type, message: 'Please confirm' }, { status: 403 }),
      );
      const client = createApiClient(
        (options) => Promise.resolve(options?.skipCache ? 'fresh' : 'stale'),
        () => Promise.resolve(true),
      );
      await client.post('/api-key/create', { name: 'Deploys' });
      expect(keys).toHaveLength(3);
      expect(new Set(keys)).toEqual(new Set([expect.stringMatching(uuid)]));
    });

    it('and says in plain words that the first attempt is in progress', async () => {
      serveCreates(
        () => HttpResponse.error(),
        () => problem(409, 'A request with this Idempotency-Key is in progress'),
        () => problem(409, 'The incident is resolved'),
      );
      await expect(signedIn.post('/incident/create', body)).rejects.toMatchObject({ status: 0 });
      await expect(signedIn.post('/incident/create', body)).rejects.toMatchObject({
        status: 409,
        message: 'The first attempt is still in progress. Try again in a moment.',
      });
      await expect(signedIn.post('/incident/create', body)).rejects.toMatchObject({
        status: 409,
        message: 'The incident is resolved',
      });
    });
  });

  it('sends a key with a new subscriber, and with no other request', async () => {
    const keyed: string[] = [];
    server.use(
      http.all(apiUrl('/*'), ({ request }) => {
        const path = new URL(request.url).pathname.replace('/api/v1', '');
        if (request.headers.has('Idempotency-Key')) keyed.push(`${request.method} ${path}`);
        return success({});
      }),
    );
    await signedIn.post('/subscriber', { email: 'ada@example.com' });
    await signedIn.post('/component/1/history/create', {});
    await signedIn.post('/incident/1/updates/delete', {});
    await signedIn.post('/subscriber/public', {});
    await signedIn.post('/identity/sign-in', {});
    await signedIn.patch('/incident/1', {});
    await signedIn.get('/incident/list');
    expect(keyed).toEqual(['POST /subscriber', 'POST /component/1/history/create']);
  });

  describe('when the user must authenticate again', () => {
    const required = { type: '/problems/re-authentication-required', message: 'Please confirm' };

    function refuseOnce() {
      const seen: unknown[] = [];
      server.use(
        http.put(apiUrl('/organisation/domain'), async ({ request }) => {
          seen.push(await request.json());
          return seen.length === 1
            ? HttpResponse.json(required, { status: 403 })
            : success({ name: 'status.example.com' });
        }),
      );
      return seen;
    }

    it('repeats the request afterwards, with what was typed', async () => {
      const seen = refuseOnce();
      const reauthenticate = vi.fn(() => Promise.resolve(true));
      const client = createApiClient(() => Promise.resolve('the-token'), reauthenticate);
      const body = { name: 'status.example.com' };
      await expect(client.put('/organisation/domain', body)).resolves.toMatchObject({ data: body });
      expect(seen).toEqual([body, body]);
      expect(reauthenticate).toHaveBeenCalledOnce();
    });

    it('asks for the second factor when the request needs one, and for each confirmation once', async () => {
      const problems = [
        required,
        { type: '/problems/second-factor-required', message: 'Confirm your second factor' },
      ];
      let sent = 0;
      server.use(
        http.delete(apiUrl('/identity/user/totp'), () => {
          const refused = problems[Math.min(sent, 1)];
          sent += 1;
          return HttpResponse.json(refused, { status: 403 });
        }),
      );
      const reauthenticate = vi.fn<Reauthenticate>(() => Promise.resolve(true));
      const client = createApiClient(() => Promise.resolve('the-token'), reauthenticate);
      const refused = client.delete('/identity/user/totp');
      await expect(refused).rejects.toMatchObject({ message: 'Confirm your second factor' });
      expect(reauthenticate.mock.calls).toEqual([['authentication'], ['second-factor']]);
      expect(sent).toBe(3);
    });

    it('fails if the user does not', async () => {
      const seen = refuseOnce();
      const client = createApiClient(
        () => Promise.resolve('the-token'),
        () => Promise.resolve(false),
      );
      const refused = client.put('/organisation/domain', {});
      await expect(refused).rejects.toMatchObject({ status: 403, message: 'Please confirm' });
      expect(seen).toHaveLength(1);
    });
  });

  it('turns a problem into an error with message, status and field errors', async () => {
    const errors = [{ field: 'components[0].componentId', message: 'Component is required' }];
    server.use(
      http.post(apiUrl('/incident/create'), () => problem(422, 'Some fields are wrong', errors)),
    );
    const error: unknown = await signedIn.post('/incident/create', {}).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 422,
      message: 'Some fields are wrong',
      fieldErrors: errors,
      isTransient: false,
    });
  });

  it('has something to say about a failure that is no problem document', async () => {
    server.use(
      http.get(apiUrl('/component/list'), () => new HttpResponse('<html>', { status: 502 })),
    );
    await expect(anonymous.get('/component/list')).rejects.toMatchObject({
      status: 502,
      message: 'The server responded with status 502',
      isTransient: true,
    });
  });

  it('fails for a reason that may pass if a response was cut off', async () => {
    server.use(http.get(apiUrl('/component/list'), () => new HttpResponse('{"data":')));
    await expect(anonymous.get('/component/list')).rejects.toMatchObject({
      status: 200,
      isTransient: true,
    });
  });

  it('says that the server cannot be reached', async () => {
    server.use(http.get(apiUrl('/component/list'), () => HttpResponse.error()));
    await expect(anonymous.get('/component/list')).rejects.toMatchObject({
      status: 0,
      message: 'The server cannot be reached. Check your connection and try again.',
    });
  });
});

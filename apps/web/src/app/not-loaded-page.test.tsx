import { act, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endpoints, paths } from '@/paths';
import { apiUrl, server, success } from '@/testing/server';
import { featureOf } from './features';
import { renderApp, serveOverviews, signedIn } from './testing';

const reload = vi.fn();

beforeEach(() => {
  serveOverviews();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  vi.stubGlobal('location', { origin: window.location.origin, pathname: '/', reload });
  reload.mockClear();
});

afterEach(() => void vi.useRealTimers());

/** Makes the code of the metrics screen fail to load. */
function failToLoad() {
  const feature = featureOf(paths.metrics);
  if (!feature) throw new Error('There is no such feature');
  return vi.spyOn(feature, 'load').mockRejectedValue(new TypeError('Failed to fetch'));
}

/** The file that started the page is gone. */
function replaceApp() {
  const entry = document.createElement('script');
  Object.assign(entry, { type: 'module', src: 'http://localhost:8080/assets/index-old.js' });
  document.head.append(entry);
  const gone = { status: 404, headers: { 'X-Request-Id': '0123' } };
  server.use(http.head(entry.src, () => new HttpResponse(null, gone)));
}

const failed = () => screen.findByRole('heading', { name: 'This screen could not be loaded.' });
const later = () => act(() => vi.advanceTimersByTimeAsync(3000));

it('loads the code of a screen again before it gives up', async () => {
  const load = failToLoad();
  const { router } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  void router.navigate(paths.metrics);
  await waitFor(() => expect(load).toHaveBeenCalledOnce());
  load.mockRestore();
  await later();
  expect(await screen.findByRole('heading', { name: 'Metrics' })).toBeInTheDocument();
});

it('keeps the navigation beside a screen that could not be loaded, and tries again', async () => {
  const load = failToLoad();
  const { user, router } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  void router.navigate(paths.metrics);
  await waitFor(() => expect(load).toHaveBeenCalledOnce());
  await later();
  expect(await failed()).toBeInTheDocument();
  expect(load).toHaveBeenCalledTimes(3);
  expect(screen.getByText('Check your connection.')).toBeInTheDocument();
  const navigation = within(screen.getByRole('navigation', { name: 'Main' }));
  expect(navigation.getByRole('link', { name: 'Metrics' })).toHaveAttribute('aria-current', 'page');
  load.mockRestore();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('heading', { name: 'Metrics' })).toBeInTheDocument();
  expect(reload).not.toHaveBeenCalled();
});

it('tries again by itself once the server is available again', async () => {
  const load = failToLoad();
  let isDown = true;
  server.use(
    http.get(apiUrl(endpoints.configuration), () =>
      isDown ? HttpResponse.error() : success(null),
    ),
  );
  const { router } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  void router.navigate(paths.metrics);
  await waitFor(() => expect(load).toHaveBeenCalledOnce());
  await later();
  await failed();
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(load).toHaveBeenCalledTimes(3);
  load.mockRestore();
  isDown = false;
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(await screen.findByRole('heading', { name: 'Metrics' })).toBeInTheDocument();
  expect(reload).not.toHaveBeenCalled();
});

it('shows no navigation to a signed-out visitor', async () => {
  const load = failToLoad();
  const { become } = renderApp(paths.metrics);
  await waitFor(() => expect(load).toHaveBeenCalledOnce());
  await later();
  await failed();
  act(() => become({ status: 'signed-out' }));
  expect(screen.queryByRole('navigation', { name: 'Main' })).not.toBeInTheDocument();
  act(() => become(signedIn));
});

it('loads the page again once when the server has another version of the app', async () => {
  failToLoad();
  replaceApp();
  const { router } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  await act(() => router.navigate(paths.metrics));
  await waitFor(() => expect(reload).toHaveBeenCalledOnce());
  expect(router.state.location.pathname).toBe(paths.metrics);
  await act(() => router.navigate(paths.dashboard));
  await act(() => router.navigate(paths.metrics));
  await failed();
  expect(reload).toHaveBeenCalledOnce();
});

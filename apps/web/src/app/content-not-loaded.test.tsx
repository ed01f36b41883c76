import { act, screen } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noMetrics } from '@/features/metrics/fixtures';
import { apiUrl, server, success } from '@/testing/server';
import { renderApp, signedIn } from './testing';

const { notLoaded } = vi.hoisted(() => ({
  notLoaded: () => {
    throw new TypeError('Failed to fetch dynamically imported module');
  },
}));
vi.mock('@docs/quick-start.md', notLoaded);
vi.mock('@content/about.md', notLoaded);
vi.mock('@content/blog/2026-11-21-two-pages.md', notLoaded);
vi.mock('@/features/metrics/bar-charts', notLoaded);

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  // React and the router log what a screen throws.
  vi.spyOn(console, 'error').mockReturnValue();
});

afterEach(() => void vi.useRealTimers());

it.each(['/docs/quick-start', '/about', '/blog/2026-11-21-two-pages', '/metrics'])(
  'says that the content of %s could not be loaded',
  async (path) => {
    const metrics = noMetrics({ incidentsByWeek: [{ week: '2026-11-16', count: 1 }] });
    server.use(http.get(apiUrl('/metrics'), () => success(metrics)));
    renderApp(path, { auth: path === '/metrics' ? signedIn : { status: 'signed-out' } });
    await vi.waitFor(async () => {
      await act(() => vi.advanceTimersByTimeAsync(1000));
      expect(
        screen.getByRole('heading', { name: 'This screen could not be loaded.' }),
      ).toBeInTheDocument();
      // The screen is loaded for the first time, and its code three times more.
    }, 20_000);
    expect(screen.getByRole('button', { name: 'Try Again' })).toBeInTheDocument();
  },
);

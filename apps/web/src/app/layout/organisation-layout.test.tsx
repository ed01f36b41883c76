import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { paths } from '@/paths';
import { renderApp, serveOverviews } from '@/app/testing';

beforeEach(serveOverviews);
afterEach(() => {
  document.cookie = 'sidebar:state=; path=/; max-age=0';
});

const navigation = () => screen.findByRole('navigation', { name: 'Main' });
const toggle = () => screen.getByRole('button', { name: 'Toggle sidebar (Ctrl+B)' });

/** The window is narrower than 768 pixels. */
function onPhone() {
  const wide = window.matchMedia('');
  vi.spyOn(window, 'matchMedia').mockImplementation((media) =>
    Object.assign(wide, { media, matches: media === '(width < 768px)' }),
  );
}

it('links to the screens and other pages, and shows the user in its footer', async () => {
  renderApp(paths.dashboard);
  const links = within(await navigation()).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Dashboard', '/dashboard'],
    ['Components', '/components'],
    ['Incidents', '/incidents'],
    ['Metrics', '/metrics'],
    ['Schedules', '/schedules'],
    ['Subscribers', '/subscribers'],
    ['Settings', '/settings'],
    ['Status Page', '/status/org-1'],
    ['Documentation', '/docs'],
    ['Join Discord', '/discord'],
    ['Sponsor the product', '/sponsor'],
  ]);
  expect(screen.getByRole('button', { name: 'Ada Lovelace' })).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Switch organisation' })).toBeInTheDocument();
});

it('has a header from behind which base.css scrolls what takes the focus', async () => {
  renderApp(paths.dashboard);
  await navigation();
  expect(toggle().closest('header')).toHaveAttribute('data-top-bar');
});

it('marks the entry whose path the current one starts with', async () => {
  renderApp(paths.components.create);
  const nav = within(await navigation());
  expect(nav.getByRole('link', { name: 'Components' })).toHaveAttribute('aria-current', 'page');
  expect(nav.getByRole('link', { name: 'Dashboard' })).not.toHaveAttribute('aria-current');
});

it('collapses by its trigger and by Ctrl or Cmd with B, and remembers it for a week', async () => {
  const written = vi.spyOn(document, 'cookie', 'set');
  const { user } = renderApp(paths.dashboard);
  await navigation();
  expect(toggle()).toHaveAttribute('aria-expanded', 'true');
  await user.click(toggle());
  expect(toggle()).toHaveAttribute('aria-expanded', 'false');
  expect(written).toHaveBeenLastCalledWith(
    'sidebar:state=false; path=/; max-age=604800; SameSite=Lax',
  );
  await user.keyboard('{Control>}b{/Control}');
  expect(toggle()).toHaveAttribute('aria-expanded', 'true');
  await user.keyboard('{Meta>}b{/Meta}');
  expect(toggle()).toHaveAttribute('aria-expanded', 'false');
  expect(document.cookie).toContain('sidebar:state=false');
});

it('begins as it was left', async () => {
  document.cookie = 'sidebar:state=false; path=/';
  renderApp(paths.dashboard);
  await navigation();
  expect(toggle()).toHaveAttribute('aria-expanded', 'false');
});

it('says what an icon means when there is no word beside it', async () => {
  document.cookie = 'sidebar:state=false; path=/';
  const { user } = renderApp(paths.dashboard);
  const link = within(await navigation()).getByRole('link', { name: 'Incidents' });
  await user.hover(link);
  expect(await screen.findByRole('tooltip', { name: 'Incidents' })).toBeInTheDocument();
  await user.click(toggle());
  await user.hover(link);
  expect(screen.queryByRole('tooltip', { name: 'Incidents' })).not.toBeInTheDocument();
});

it('covers the page on a phone until an entry is chosen', async () => {
  onPhone();
  const { user, router } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  expect(screen.queryByRole('navigation', { name: 'Main' })).not.toBeInTheDocument();
  await user.click(toggle());
  const panel = screen.getByRole('dialog', { name: 'Navigation' });
  await user.click(within(panel).getByRole('link', { name: 'Metrics' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.metrics));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(document.cookie).not.toContain('sidebar:state');
});

it('closes on a phone when the user goes back', async () => {
  onPhone();
  const { user, router } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  await act(() => router.navigate(paths.metrics));
  await user.click(toggle());
  expect(screen.getByRole('dialog', { name: 'Navigation' })).toBeVisible();
  await act(() => router.navigate(-1));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await act(() => router.navigate(1));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('gives the focus back on a phone, but not after a link', async () => {
  onPhone();
  const { user } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  await user.click(toggle());
  await user.keyboard('{Escape}');
  await waitFor(() => expect(toggle()).toHaveFocus());
  await user.keyboard('{Enter}');
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(toggle()).toHaveFocus());
  await user.keyboard('{Enter}');
  await user.click(screen.getByRole('link', { name: 'Metrics' }));
  await screen.findByRole('heading', { name: 'Metrics' });
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus());
});

it('closes on a phone when an entry of the user menu was used', async () => {
  onPhone();
  const { user } = renderApp(paths.dashboard);
  await screen.findByRole('heading', { name: 'Dashboard' });
  await user.click(toggle());
  const panel = screen.getByRole('dialog', { name: 'Navigation' });
  await user.click(within(panel).getByRole('button', { name: 'Ada Lovelace' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('skips to the content by the first press of Tab', async () => {
  const { user } = renderApp(paths.dashboard);
  await navigation();
  await user.tab();
  expect(screen.getByRole('button', { name: 'Skip to content' })).toHaveFocus();
  await user.keyboard('{Enter}');
  expect(screen.getByRole('main')).toHaveFocus();
});

it('gives a new screen the focus and its name to the document', async () => {
  const { user } = renderApp(paths.dashboard);
  await user.click(within(await navigation()).getByRole('link', { name: 'Metrics' }));
  await screen.findByRole('heading', { name: 'Metrics' });
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus());
  expect(document.title).toBe('Metrics · Allclear');
});

it('takes the theme that is chosen', async () => {
  const { user } = renderApp(paths.dashboard);
  await navigation();
  await user.click(screen.getByRole('button', { name: 'Theme: Dark' }));
  await user.click(screen.getByRole('menuitemradio', { name: 'Light' }));
  expect(screen.getByRole('button', { name: 'Theme: Light' })).toBeInTheDocument();
  expect(document.documentElement.dataset.theme).toBe('light');
});

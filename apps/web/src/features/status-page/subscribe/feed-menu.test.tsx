import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, onTestFinished } from 'vitest';
import { publicFeeds } from '@/public-paths';
import { aSnapshot } from '@/features/status-page/fixtures';
import { closeWhenLeft } from './close-when-left';
import { FeedMenu } from './feed-menu';
import { SubscribeButton } from './subscribe-button';
import { SubscribeProvider } from './subscribe-provider';

const { organisation } = aSnapshot();

const loadDialog = async () =>
  (await import('./standalone-subscribe-dialog')).StandaloneSubscribeDialog;

function open({ channels = organisation.channels, url = organisation.url } = {}) {
  render(
    <SubscribeProvider state={aSnapshot({ organisation: { ...organisation, channels, url } })}>
      <SubscribeButton standalone loadDialog={loadDialog} />
      <FeedMenu />
      <button type="button">Elsewhere</button>
    </SubscribeProvider>,
  );
  const left = new AbortController();
  onTestFinished(() => left.abort());
  closeWhenLeft(document, { signal: left.signal });
  const summary = screen.getByText('Other Channels');
  const menu = summary.closest('details');
  if (!menu) throw new Error('The menu has no details');
  menu.open = true;
  return { menu, summary };
}

/** The addresses of the feeds, without that of the calendar. */
const linked = (menu: HTMLElement) =>
  within(menu)
    .getAllByRole('link')
    .filter((link) => link !== calendar())
    .map((link) => link.getAttribute('href'));
const calendar = () => screen.getByRole('link', { name: 'Maintenance calendar' });
const feeds = publicFeeds.map(([path]) => path).filter((path) => path !== '/maintenances.ics');

it('links every feed below the address of the page', () => {
  const { menu } = open();
  expect(linked(menu)).toEqual(feeds.map((path) => `/status/org-1${path}`));
});

it('links the feeds of a domain so that they work at the address of the installation', () => {
  const { menu } = open({ url: 'https://status.acme.example' });
  expect(linked(menu)).toEqual(feeds.map((path) => `https://status.acme.example${path}`));
});

it.each([
  ['https://example.com/status/org-1', 'webcal://example.com/status/org-1/maintenances.ics'],
  ['https://status.acme.example', 'webcal://status.acme.example/maintenances.ics'],
  ['http://localhost:8080/status/org-1', '/status/org-1/maintenances.ics'],
])('lets programs subscribe to the calendar of %s', (url, address) => {
  open({ url });
  expect(calendar()).toHaveAttribute('href', address);
});

it('closes by Escape, which leads back to where it was opened', async () => {
  const { menu, summary } = open();
  summary.tabIndex = 0;
  await userEvent.keyboard('{Escape}');
  expect(menu.open).toBe(false);
  expect(summary).toHaveFocus();
});

it('closes when something else is pressed or focused, and not by its own links', async () => {
  const { menu } = open();
  screen.getByRole('link', { name: 'JSON Feed' }).focus();
  expect(menu.open).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Elsewhere' }));
  expect(menu.open).toBe(false);
  menu.open = true;
  screen.getByRole('link', { name: 'JSON Feed' }).focus();
  screen.getByRole('button', { name: 'Elsewhere' }).focus();
  expect(menu.open).toBe(false);
});

it('offers the channels besides mail that visitors may use, and opens the dialog of one', async () => {
  const { menu, summary } = open({ channels: ['email', 'slack', 'discord'] });
  summary.tabIndex = 0;
  expect(
    within(menu)
      .getAllByRole('button')
      .map((button) => button.textContent),
  ).toEqual(['Slack', 'Discord']);
  await userEvent.click(within(menu).getByRole('button', { name: 'Slack' }));
  expect(await screen.findByRole('dialog', { name: 'Subscribe Via Slack' })).toBeVisible();
  expect(menu.open).toBe(false);
  await userEvent.keyboard('{Escape}');
  expect(summary).toHaveFocus();
});

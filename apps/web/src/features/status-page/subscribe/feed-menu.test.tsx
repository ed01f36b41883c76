import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { publicFeeds } from '@/public-paths';
import { FeedMenu } from './feed-menu';

const url = 'https://status.example.com/status/org-1';

function open() {
  render(
    <>
      <FeedMenu url={url} />
      <button type="button">Elsewhere</button>
    </>,
  );
  const summary = screen.getByText('Feeds');
  const menu = summary.closest('details');
  if (!menu) throw new Error('The menu has no details');
  menu.open = true;
  return { menu, summary };
}

it('links every feed below the address of the page', () => {
  open();
  const links = screen.getAllByRole('link');
  expect(links.map((link) => link.getAttribute('href'))).toEqual(
    publicFeeds.map(([path]) => `/status/org-1${path}`),
  );
  expect(screen.getByRole('link', { name: 'Maintenance calendar' })).toHaveAttribute(
    'href',
    '/status/org-1/maintenances.ics',
  );
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

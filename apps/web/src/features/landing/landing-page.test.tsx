import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderScreen } from '@/testing/render';
import { LandingPage } from './landing-page';

function renderLanding() {
  return renderScreen(<LandingPage />, { auth: { status: 'signed-out' } });
}

it('leads by its navigation to the parts that are named there', () => {
  const { container } = renderLanding();
  const links = within(screen.getByRole('navigation', { name: 'Main' })).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Documentation', '/#documentation'],
    ['Resources', '/#resources'],
    ['Request preview', '/#request-preview'],
    ['Pricing', '/#pricing'],
  ]);
  for (const link of links) {
    const id = link.getAttribute('href')?.slice(2) ?? '';
    const title = container.querySelector(`#${id} h2`);
    expect(title).toHaveTextContent(link.textContent);
  }
});

it('takes the keyboard along to the part that is chosen', async () => {
  const { user } = renderLanding();
  await user.click(screen.getByRole('link', { name: 'Pricing' }));
  expect(screen.getByRole('region', { name: 'Pricing' })).toHaveFocus();
});

it.each(['Login', 'Get started', 'Start for free'])('leads to the sign-in page by %s', (name) => {
  renderLanding();
  expect(screen.getByRole('link', { name: new RegExp(name) })).toHaveAttribute('href', '/login');
});

it.each(['Create an account', 'Open an account', 'Create your status page'])(
  'leads to the sign-in page also by %s',
  (name) => {
    renderLanding();
    expect(screen.getByRole('link', { name })).toHaveAttribute('href', '/login');
  },
);

it('names each page of the foot once', () => {
  renderLanding();
  for (const name of [/About/, /Blog/, /Careers/, /Legal/]) {
    expect(screen.getAllByRole('link', { name })).toHaveLength(1);
  }
});

it('starts with the purpose of the product and ends with a call to action, and both link to the sign-in page', () => {
  renderLanding();
  const main = within(screen.getByRole('main'));
  expect(main.getByRole('heading', { level: 1 })).toBeVisible();
  const closing = main.getAllByRole('region').at(-1) ?? document.body;
  expect(closing).toHaveAccessibleName(/^The next incident is coming/);
  expect(main.getAllByRole('link')[0]).toHaveAccessibleName('Start for free');
  expect(within(closing).getByRole('link')).toHaveAttribute('href', '/login');
});

it('has six feature cards, roles, teams and real time among them', () => {
  renderLanding();
  const features = screen.getByRole('region', { name: 'All that an incident asks of you' });
  const titles = within(features).getAllByRole('heading', { level: 3 });
  expect(titles.map((title) => title.textContent)).toEqual([
    'Real-time updates',
    'Incidents with a timeline',
    'Scheduled maintenance',
    'Role-based access control',
    'Team management',
    'Subscribers on every channel',
  ]);
});

it.each(['Uptime bars', 'domain of its own', 'OpenID Connect', 'passkeys', 'Microsoft Teams'])(
  'names what is included: %s',
  (text) => {
    renderLanding();
    expect(screen.getByRole('region', { name: 'Pricing' })).toHaveTextContent(text);
  },
);

it('names the users of its technologies, and claims no customers', () => {
  renderLanding();
  const trusted = screen.getByRole('region', { name: /trusted by/ });
  expect(within(trusted).getAllByRole('listitem')).toHaveLength(6);
});

it('links to About, Blog, Careers and Legal in its footer', () => {
  renderLanding();
  const links = within(screen.getByRole('navigation', { name: 'Footer' })).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['About', '/about'],
    ['Blog', '/blog'],
    ['Careers', '/careers'],
    ['Legal', '/legal'],
  ]);
});

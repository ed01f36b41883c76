import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import type { ComponentOrder } from '@/api/types';
import { component } from '@/testing/component';
import { componentGroup } from '@/testing/component-group';
import { endpoints, paths } from '@/paths';
import { FakeSocket } from '@/testing/fake-socket';
import { apiUrl, problem, server, settled, success } from '@/testing/server';
import { renderApp } from './testing';

type Groups = ComponentOrder['groups'];

const platform = componentGroup('Platform');

const start: Groups = [
  { id: 'platform', components: ['api', 'cdn'] },
  { id: null, components: ['website'] },
];

/** Serves the order, which a save changes only on top of the newest version. */
function serve(groups: Groups = start) {
  const state = { groups, version: 1, reads: 0, sent: [] as Groups[] };
  const components = ['API', 'CDN', 'Website', 'Shop'].map((name) => component(name));
  const respond = () => success({ groups: state.groups }, { etag: `"${state.version}"` });
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success(components)),
    http.get(apiUrl(endpoints.componentGroups.list), () => success([platform])),
    http.get(apiUrl(endpoints.componentOrder), () => {
      state.reads += 1;
      return respond();
    }),
    http.post(apiUrl(endpoints.componentOrder), async ({ request }) => {
      if (request.headers.get('If-Match') !== `"${state.version}"`) return problem(412, 'Stale');
      const sent = (await request.json()) as ComponentOrder;
      state.sent.push(sent.groups);
      change(sent.groups);
      return respond();
    }),
  );
  function change(next: Groups) {
    state.groups = next;
    state.version += 1;
  }
  return { state, change };
}

const handle = (name: string) => screen.findByRole('button', { name: `Move ${name}` });

/** The names on the screen, in order. */
const shown = () =>
  within(screen.getByRole('group', { name: 'Order' }))
    .getAllByRole('button', { name: /^Move/ })
    .map((button) => button.getAttribute('aria-label')?.replace('Move ', ''));

const saveButton = () => screen.getByRole('button', { name: 'Save Order' });

beforeEach(() => {
  // jsdom has no layout: here everything is below what precedes it, and what is dragged begins
  // where its row is.
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const inOrder = this.closest('[role=group]') !== null;
    const row = document.querySelector('[aria-pressed=true]')?.parentElement;
    const top = [...document.querySelectorAll('*')].indexOf(inOrder ? this : (row ?? this)) * 10;
    const edges = { left: 0, right: 100, top, bottom: top, x: 0, y: top };
    return { ...edges, width: 100, height: 0, toJSON: () => edges };
  });
  return () => vi.restoreAllMocks();
});

async function press(user: ReturnType<typeof renderApp>['user'], name: string, ...keys: string[]) {
  (await handle(name)).focus();
  await user.keyboard('[Space]');
  const announcement = await screen.findByText(new RegExp(`^${name} is picked up`));
  for (const key of keys) {
    const before = announcement.textContent;
    await user.keyboard(`[${key}]`);
    // The place is looked for after the next rendering.
    await waitFor(() => expect(announcement.textContent).not.toBe(before));
  }
}

it('shows groups with their components, and those without a group, in the order of the page', async () => {
  serve();
  renderApp(paths.components.order);
  await handle('API');
  expect(shown()).toEqual(['Platform', 'API', 'CDN', 'No group', 'Website']);
  const group = within(screen.getByRole('region', { name: 'Platform' }));
  expect(group.getAllByRole('listitem')).toHaveLength(2);
  expect(saveButton()).toBeDisabled();
  // base.css scrolls what takes the focus out from behind it.
  expect(saveButton().closest('[data-bottom-bar]')).toBeInTheDocument();
});

it('moves a component to another group by keyboard, says so, and saves on top of the version read', async () => {
  const { state } = serve();
  const { user, router } = renderApp(paths.components.order);
  await press(user, 'API', 'ArrowDown');
  expect(await screen.findByText('API is now 2 of 2 in Platform')).toBeInTheDocument();
  await user.keyboard('[ArrowDown]');
  expect(await screen.findByText('API is now 1 of 2 without a group')).toBeInTheDocument();
  await user.keyboard('[Space]');
  expect(await screen.findByText('API is dropped, 1 of 2 without a group')).toBeInTheDocument();
  expect(shown()).toEqual(['Platform', 'CDN', 'No group', 'API', 'Website']);
  expect(state.sent).toEqual([]);
  await user.click(saveButton());
  expect(await screen.findByText('Order saved')).toBeInTheDocument();
  expect(state.sent).toEqual([
    [
      { id: 'platform', components: ['cdn'] },
      { id: null, components: ['api', 'website'] },
    ],
  ]);
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.components.list));
});

it('moves a group, and puts it back by Escape', async () => {
  serve();
  const { user } = renderApp(paths.components.order);
  await press(user, 'Platform', 'ArrowDown', 'Escape');
  expect(await screen.findByText('Platform is back, 1 of 2 on the page')).toBeInTheDocument();
  expect(shown()[0]).toBe('Platform');
  await press(user, 'Platform', 'ArrowDown', 'Space');
  await waitFor(() => expect(shown()[0]).toBe('No group'));
});

it('moves by the menu of a handle, says where to, and leaves the focus on the handle', async () => {
  serve();
  const { user } = renderApp(paths.components.order);
  const choose = async (name: string, step: string) => {
    await user.click(await handle(name));
    await user.click(screen.getByRole('menuitem', { name: step }));
  };
  await choose('API', 'Down');
  expect(await screen.findByText('API is now 2 of 2 in Platform')).toBeInTheDocument();
  await waitFor(async () => expect(await handle('API')).toHaveFocus());
  await choose('API', 'Down');
  expect(await screen.findByText('API is now 1 of 2 without a group')).toBeInTheDocument();
  await waitFor(async () => expect(await handle('API')).toHaveFocus());
  await choose('No group', 'Up');
  expect(shown()).toEqual(['No group', 'API', 'Website', 'Platform', 'CDN']);
  await user.click(await handle('No group'));
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Down']);
});

it('opens the menu of a handle by the key of a menu button', async () => {
  serve();
  const { user } = renderApp(paths.components.order);
  (await handle('API')).focus();
  await user.keyboard('{ArrowDown}');
  expect(screen.getByRole('menu')).toBeInTheDocument();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).not.toBeInTheDocument();
  await user.keyboard(' {ArrowDown}');
  expect(screen.queryByRole('menu')).not.toBeInTheDocument();
});

it('closes the menu of a handle by a second press', async () => {
  serve();
  const { user } = renderApp(paths.components.order);
  const button = await handle('API');
  for (let presses = 0; presses < 2; presses += 1) {
    await user.click(button);
    expect(screen.getByRole('menu')).toBeInTheDocument();
    expect(button).not.toHaveAttribute('aria-pressed');
    await user.click(button);
    expect(screen.queryByRole('menu')).not.toBeInTheDocument();
  }
});

it('keeps the moves on top of the order that somebody else has saved first, and saves them', async () => {
  const { state, change } = serve();
  const { user } = renderApp(paths.components.order);
  await press(user, 'API', 'ArrowDown', 'Space');
  await waitFor(() => expect(saveButton()).toBeEnabled());
  change([
    { id: null, components: ['shop', 'website'] },
    { id: 'platform', components: ['api', 'cdn'] },
  ]);
  await user.click(saveButton());
  const conflict = await screen.findByText(
    'The order has changed since you opened it. The page now shows the new order with your moves: check it and save again.',
  );
  expect(screen.getByRole('main')).toContainElement(conflict);
  const merged = ['No group', 'Shop', 'Website', 'Platform', 'CDN', 'API'];
  await waitFor(() => expect(shown()).toEqual(merged));
  expect(state.sent).toEqual([]);
  await user.click(saveButton());
  expect(await screen.findByText('Order saved')).toBeInTheDocument();
  expect(conflict).not.toBeInTheDocument();
  expect(state.sent).toEqual([
    [
      { id: null, components: ['shop', 'website'] },
      { id: 'platform', components: ['cdn', 'api'] },
    ],
  ]);
});

it('takes an order as saved that the server has although the response was lost', async () => {
  const { state, change } = serve();
  const { user, router } = renderApp(paths.components.order);
  await press(user, 'API', 'ArrowDown', 'Space');
  await waitFor(() => expect(saveButton()).toBeEnabled());
  // The order of the lost save, and a component that somebody else has created since.
  change([
    { id: 'platform', components: ['cdn', 'api'] },
    { id: null, components: ['shop', 'website'] },
  ]);
  await user.click(saveButton());
  expect(await screen.findByText('Order saved')).toBeInTheDocument();
  expect(screen.queryByText(/^The order has changed/)).not.toBeInTheDocument();
  expect(state.sent).toEqual([]);
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.components.list));
});

it('follows the orders of others while nothing is moved', async () => {
  const { state, change } = serve();
  const { user } = renderApp(paths.components.order);
  await handle('API');
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await FakeSocket.last.join();
  change([{ id: 'platform', components: ['cdn', 'api', 'website'] }]);
  FakeSocket.last.fire('component-order-updated', { groups: state.groups });
  await waitFor(() => expect(shown()).toEqual(['Platform', 'CDN', 'API', 'Website', 'No group']));
  expect(screen.getByText(/^Drop a component here/)).toBeInTheDocument();

  await press(user, 'CDN', 'ArrowDown', 'Space');
  await waitFor(() => expect(saveButton()).toBeEnabled());
  const mine = shown();
  const { reads } = state;
  change([{ id: 'platform', components: ['website', 'cdn', 'api'] }]);
  FakeSocket.last.fire('component-order-updated', { groups: state.groups });
  await expect.poll(() => state.reads).toBe(reads + 1);
  await settled();
  expect(shown()).toEqual(mine);
});

it('asks before moves are lost by a link, and not after Cancel', async () => {
  serve();
  const { user, router } = renderApp(paths.components.order);
  await press(user, 'API', 'ArrowDown', 'Space');
  await waitFor(() => expect(saveButton()).toBeEnabled());
  void router.navigate(paths.subscribers);
  await user.click(await screen.findByRole('button', { name: 'Stay' }));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(paths.components.list));
});

it('leads to a new component while there is nothing to reorder', async () => {
  serve([{ id: null, components: ['website'] }]);
  renderApp(paths.components.order);
  expect(await screen.findByText('Nothing to reorder yet')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'New Component' })).toHaveAttribute(
    'href',
    paths.components.create,
  );
});

it('offers to read the order again after a failure', async () => {
  serve();
  server.use(
    http.get(apiUrl(endpoints.componentOrder), () => problem(403, 'Not yours'), { once: true }),
  );
  const { user } = renderApp(paths.components.order);
  expect(await screen.findByText('Not yours')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  await handle('API');
  expect(shown()[0]).toBe('Platform');
});

import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { AuditItem } from '@/api/types';
import type { AuthState } from '@/auth/auth';
import { endpoints, paths } from '@/paths';
import { renderRoutes, signedIn, signedInAs } from '@/testing/render';
import { savedFiles } from '@/testing/saved-files';
import { apiUrl, problem, server, success } from '@/testing/server';
import { auditRoutes } from './routes';

const edited: AuditItem = {
  id: 'item-2',
  createdAt: '2026-11-21T13:07:16.000Z',
  actor: { type: 'USER', id: 'user-1', name: 'Ada Lovelace' },
  action: 'component.updated',
  target: { type: 'COMPONENT', id: 'component-1', name: 'API' },
  address: '192.0.2.7',
  requestId: 'request-1',
  before: { name: 'API', status: 'OPERATIONAL' },
  after: { name: 'API', status: 'DEGRADED' },
};

const begun: AuditItem = {
  id: 'item-1',
  createdAt: '2026-11-21T12:00:00.000Z',
  actor: { type: 'SCHEDULER', id: null, name: 'Scheduler' },
  action: 'maintenance.started',
  target: { type: 'MAINTENANCE', id: 'maintenance-1', name: 'Move' },
  address: null,
  requestId: null,
  before: null,
  after: null,
};

/** Serves these items and notes the queries. */
function serve(items: AuditItem[] = [edited, begun]) {
  const asked: string[] = [];
  server.use(
    http.get(apiUrl('/audit'), ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query.toString());
      return query.has('format') ? HttpResponse.text('file') : success(items);
    }),
  );
  return asked;
}

const namesIn = (select: HTMLElement) =>
  within(select)
    .getAllByRole('option')
    .map(({ textContent }) => textContent);

const render = (search = '', auth: AuthState = signedIn) =>
  renderRoutes(auditRoutes, { path: `${paths.audit}${search}`, auth });

it('shows when, who, what, which thing and from where', async () => {
  serve();
  render();
  const table = await screen.findByRole('table', { name: 'Audit log' });
  const rows = within(table).getAllByRole('row');
  expect(rows[1]).toHaveTextContent(/Ada Lovelacechanged component APIcomponent.updated192.0.2.7/);
  expect(rows[2]).toHaveTextContent(/Schedulerstarted maintenance Move/);
  expect(within(table).getByRole('link', { name: 'API' })).toHaveAttribute(
    'href',
    '/audit?targetId=component-1',
  );
});

it('opens an item by keyboard and shows the changed fields, and the others on demand', async () => {
  serve();
  const { user } = render();
  const button = await screen.findByRole('button', {
    name: 'Show details: Ada Lovelace changed component API',
  });
  button.focus();
  await user.keyboard('{Enter}');
  const fields = screen.getByRole('table', { name: 'Changed fields' });
  expect(within(fields).getAllByRole('row')).toHaveLength(2);
  expect(within(fields).getByRole('row', { name: /^Status/ })).toHaveTextContent(
    'StatusBeforeOperationalAfterDegraded Performance',
  );
  await user.click(screen.getByRole('button', { name: 'Show unchanged fields' }));
  expect(within(fields).getAllByRole('row')).toHaveLength(3);
  expect(screen.getByText('request-1')).toBeInTheDocument();
});

it('leads from the details to what was changed', async () => {
  serve();
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: /^Show details: Ada Lovelace/ }));
  expect(screen.getByRole('link', { name: 'Open: API' })).toHaveAttribute(
    'href',
    '/components/component/edit/component-1',
  );
});

it('leads to nothing that is deleted', async () => {
  serve([{ ...edited, action: 'component.deleted', after: null }]);
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: /^Show details/ }));
  await screen.findByRole('table', { name: 'Changed fields' });
  expect(screen.queryByRole('link', { name: /^Open/ })).not.toBeInTheDocument();
});

it('keeps its filters in the address and sends them', async () => {
  const asked = serve();
  const { user, router } = render('?targetId=component-1');
  await screen.findByRole('table', { name: 'Audit log' });
  await user.selectOptions(screen.getByLabelText('Action'), 'Component changed');
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(router.state.location.search).toBe('?targetId=component-1&action=component.updated');
  expect(router.state.preventScrollReset).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  await waitFor(() => expect(router.state.location.search).toBe(''));
  expect(screen.getByRole('group', { name: 'Filter' })).toHaveFocus();
  expect(asked.slice(0, 2)).toEqual([
    'targetId=component-1&limit=500',
    'action=component.updated&targetId=component-1&limit=500',
  ]);
});

it('offers members and API keys that no shown entry names', async () => {
  const asked = serve();
  server.use(
    http.get(apiUrl(endpoints.identity.members('org-1')), () =>
      success([
        { userId: 'user-1', name: 'Ada King' },
        { userId: 'user-9', name: 'Mary Somerville' },
      ]),
    ),
    http.get(apiUrl(endpoints.apiKeys.list), () => success([{ id: 'key-1', name: 'Deploys' }])),
  );
  const { user } = render();
  await screen.findByRole('option', { name: 'Mary Somerville' });
  const who = screen.getByRole('combobox', { name: 'Actor' });
  await waitFor(() =>
    expect(namesIn(who)).toEqual(['All', 'Ada King', 'Deploys', 'Mary Somerville']),
  );
  await user.selectOptions(who, 'Deploys');
  await waitFor(() => expect(asked.at(-1)).toContain('actorId=key-1'));
});

it('reads no members if Clerk has them', async () => {
  serve();
  const members = vi.fn(() => success([]));
  server.use(http.get(apiUrl(endpoints.identity.members('org-1')), members));
  renderRoutes(auditRoutes, { path: paths.audit, configuration: { identityProvider: 'clerk' } });
  await screen.findByRole('table', { name: 'Audit log' });
  expect(members).not.toHaveBeenCalled();
});

it('keeps the focus on a filter and the names of other people after a choice', async () => {
  const byGrace = {
    ...edited,
    id: 'item-3',
    actor: { ...edited.actor, id: 'user-2', name: 'Grace Hopper' },
  };
  server.use(
    http.get(apiUrl('/audit'), ({ request }) => {
      const actor = new URL(request.url).searchParams.get('actorId');
      return success([edited, byGrace].filter((item) => !actor || item.actor.id === actor));
    }),
  );
  const { user } = render();
  await screen.findByText('Grace Hopper', { selector: 'bdi' });
  const who = screen.getByRole('combobox', { name: 'Actor' });
  await user.selectOptions(who, 'Grace Hopper');
  await waitFor(() => expect(screen.queryByText('Ada Lovelace', { selector: 'bdi' })).toBe(null));
  expect(who).toHaveFocus();
  expect(namesIn(who)).toEqual(['All', 'Ada Lovelace', 'Grace Hopper']);
});

it('applies a day with Enter or when the focus leaves, and no year before 1970', async () => {
  const asked = serve();
  const { user, router } = render();
  await screen.findByRole('table', { name: 'Audit log' });
  const from = screen.getByLabelText('From');
  from.focus();
  fireEvent.change(from, { target: { value: '0002-11-20' } });
  fireEvent.change(from, { target: { value: '2026-11-20' } });
  expect(router.state.location.search).toBe('');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.search).toBe('?from=2026-11-20'));
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(from).toHaveFocus();

  fireEvent.change(from, { target: { value: '0026-11-20' } });
  await user.tab();
  expect(from).toHaveValue('2026-11-20');
  fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-11-21' } });
  await user.tab();
  await waitFor(() => expect(router.state.location.search).toBe('?from=2026-11-20&to=2026-11-21'));
  expect(asked.join()).not.toContain('0026');
});

it('keeps the filter of a day that is cleared in part', async () => {
  serve();
  const { router } = render('?from=2026-11-02');
  await screen.findByRole('table', { name: 'Audit log', busy: false });
  const from = screen.getByLabelText('From');
  // Browsers give such a day an empty value.
  Object.defineProperty(from, 'validity', { value: { badInput: true } });
  fireEvent.change(from, { target: { value: '' } });
  fireEvent.blur(from);
  expect(from).toHaveValue('2026-11-02');
  expect(router.state.location.search).toBe('?from=2026-11-02');
});

it('ignores a day before 1970 in the address', async () => {
  const asked = serve();
  render('?from=0026-11-20');
  await screen.findByRole('table', { name: 'Audit log' });
  expect(asked).toEqual(['']);
});

it('sends whole days', async () => {
  const asked = serve();
  render('?from=2026-11-20&to=2026-11-21');
  await screen.findByRole('table', { name: 'Audit log' });
  const query = new URLSearchParams(asked[0]);
  expect(query.get('from')).toBe(new Date('2026-11-20T00:00:00').toISOString());
  expect(query.get('to')).toBe(new Date('2026-11-21T23:59:59.999').toISOString());
});

it('downloads the selection as a file', async () => {
  const asked = serve();
  const files = savedFiles();
  const { user } = render('?action=component.updated');
  await user.click(await screen.findByRole('button', { name: 'JSON Lines' }));
  await waitFor(() => expect(files.map(({ name }) => name)).toEqual(['audit-log.jsonl']));
  expect(await files[0]?.content.text()).toBe('file');
  expect(asked).toContain('action=component.updated&format=jsonl');
});

it('downloads a file once when its button is pressed twice', async () => {
  const asked = serve();
  const files = savedFiles();
  render();
  const button = await screen.findByRole('button', { name: 'CSV' });
  fireEvent.click(button);
  fireEvent.click(button);
  await waitFor(() => expect(files).toHaveLength(1));
  expect(asked.filter((query) => query === 'format=csv')).toHaveLength(1);
  await waitFor(() => expect(button).toBeEnabled());
});

it('says that nothing matches', async () => {
  serve([]);
  render('?action=component.deleted');
  expect(await screen.findByText('No entry matches the filter.')).toBeInTheDocument();
});

it('announces how many entries match', async () => {
  serve();
  const { user } = render();
  await screen.findByRole('table', { name: 'Audit log' });
  const result = screen.getByText('All entries');
  expect(result).toHaveAttribute('aria-live', 'polite');
  await user.selectOptions(screen.getByLabelText('Action'), 'Component changed');
  await waitFor(() => expect(result).toHaveTextContent('2 entries'));
});

it('offers another attempt after a failure', async () => {
  server.use(http.get(apiUrl('/audit'), () => problem(500, 'Please try again')));
  const { user } = render();
  const again = await screen.findByRole('button', { name: 'Try Again' });
  serve();
  await user.click(again);
  expect(await screen.findByRole('table', { name: 'Audit log' })).toBeInTheDocument();
});

it('is for admins', async () => {
  const asked = serve();
  render('', signedInAs('editor'));
  expect(await screen.findByText(/Only an admin/)).toBeInTheDocument();
  expect(asked).toEqual([]);
});

it('keeps the focus at the entries when the last of them are shown', async () => {
  serve(Array.from({ length: 60 }, (_, at) => ({ ...edited, id: `item-${at}` })));
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Show Older' }));
  expect(screen.queryByRole('button', { name: 'Show Older' })).not.toBeInTheDocument();
  expect(screen.getByRole('group', { name: 'Entries' })).toHaveFocus();
});

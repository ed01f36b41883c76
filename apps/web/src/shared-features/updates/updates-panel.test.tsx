import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { Update } from '@/api/types';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { success, apiUrl, problem, server, settings } from '@/testing/server';
import { incidentStatuses } from '@/ui/statuses';
import { hasUnsavedChanges } from '@/ui/unsaved-changes';
import type { IncidentState } from './status-after-deletion';
import type { Timeline } from './timeline';
import { UpdatesPanel } from './updates-panel';

const timeline: Timeline = {
  noun: 'incident',
  endpoints: {
    list: endpoints.incidents.updates('i'),
    item: (updateId) => endpoints.incidents.update('i', updateId),
    create: endpoints.incidents.createUpdate('i'),
    remove: endpoints.incidents.deleteUpdates('i'),
  },
  idsField: 'incidentUpdateIds',
  notifyHelp: { record: 'Mails this update.', edit: 'Mails another status.' },
  texts: {
    created: 'Created',
    modified: 'Modified',
    saveFailed: 'Not saved',
    loadFailed: 'Not loaded',
  },
};

const bank: Update = {
  id: 'bank',
  status: 'IDENTIFIED',
  message: 'The bank is down.',
  user: { id: 'user-2', name: 'Grace Hopper' },
  createdAt: '2026-11-21T13:07:16.000Z',
  displayAt: '2026-11-21T13:07:16.000Z',
};
const looking: Update = { ...bank, id: 'looking', status: 'INVESTIGATING', message: 'We look.' };

/** `updates` are the server's later responses. */
async function open(updates: Update[], closed?: string, incident?: IncidentState) {
  server.use(http.get(apiUrl(timeline.endpoints.list), () => success([...updates])));
  const onChange = vi.fn(() => Promise.resolve());
  const rendered = renderScreen(
    <UpdatesPanel
      timeline={timeline}
      about="Checkout"
      status={incidentStatuses.MONITORING}
      closed={closed}
      incident={incident}
      onChange={onChange}
    />,
  );
  await screen.findByRole('table', { name: 'Updates', busy: false });
  return { ...rendered, onChange };
}

const serveItem = (update: Update, version = '1') =>
  server.use(
    http.get(apiUrl(timeline.endpoints.item(update.id)), () =>
      success(update, { etag: `"${version}"` }),
    ),
  );

const message = () => screen.findByRole('textbox', { name: /Message/ });

it('shows each update’s author, text, time and actions', async () => {
  await open([bank]);
  const row = screen.getByText('The bank is down.').closest('tr');
  expect(row).toHaveTextContent('Identified');
  expect(row).toHaveTextContent('Grace Hopper');
  expect(row).toHaveTextContent('Nov 21, 2026 02:07:16 PM');
  expect(screen.getByRole('button', { name: 'Edit update “The bank is down.”' })).toBeEnabled();
  expect(screen.getByRole('button', { name: 'Delete update “The bank is down.”' })).toBeEnabled();
});

it('records an update that begins as Investigating and without a message', async () => {
  const updates = [looking];
  const { user, onChange } = await open(updates);
  let sent: unknown;
  server.use(
    http.post(apiUrl(timeline.endpoints.create), async ({ request }) => {
      sent = await request.json();
      updates.unshift(bank);
      return success(bank, { status: 201 });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Record Update' }));
  expect(screen.getByRole('dialog')).toHaveAccessibleDescription('Checkout Now: Monitoring');
  expect(dialog.getByRole('radio', { name: 'Investigating' })).toBeChecked();
  expect(await message()).toHaveValue('');
  await user.type(await message(), 'The bank is down.');
  await user.click(dialog.getByRole('button', { name: 'Record Update' }));
  expect(await screen.findByText('Created')).toBeInTheDocument();
  expect(sent).toEqual({ status: 'INVESTIGATING', message: 'The bank is down.', notify: true });
  expect(await screen.findByText('The bank is down.')).toBeInTheDocument();
  expect(onChange).toHaveBeenCalledTimes(1);
});

it('closes after an update is recorded, also if the screen cannot be read again', async () => {
  const { user, onChange } = await open([]);
  onChange.mockReturnValue(new Promise(() => undefined));
  server.use(http.post(apiUrl(timeline.endpoints.create), () => success(bank, { status: 201 })));
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = screen.getByRole('dialog', { name: 'Record Update' });
  await user.type(await message(), 'The bank is down.');
  await user.click(within(dialog).getByRole('button', { name: 'Record Update' }));
  await screen.findByText('Created');
  await waitFor(() => expect(hasUnsavedChanges()).toBe(false));
  expect(await message()).toHaveValue('The bank is down.');
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
});

it('records an update with a display time, and without a mail if that is chosen', async () => {
  const { user } = await open([]);
  let sent: unknown;
  server.use(
    http.post(apiUrl(timeline.endpoints.create), async ({ request }) => {
      sent = await request.json();
      return success(bank, { status: 201 });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Record Update' }));
  await user.type(await message(), 'The bank is down.');
  const displayed = dialog.getByLabelText(/^Displayed at/);
  expect(displayed).toHaveAccessibleDescription(/In your time zone, Europe\/Berlin/);
  fireEvent.change(displayed, { target: { value: '2126-11-21T14:00' } });
  await user.click(dialog.getByRole('checkbox', { name: 'Notify subscribers' }));
  await user.click(dialog.getByRole('button', { name: 'Record Update' }));
  expect(await screen.findByText('Display time must not be in the future')).toBeInTheDocument();
  fireEvent.change(displayed, { target: { value: '2025-11-21T14:00' } });
  await user.click(dialog.getByRole('button', { name: 'Record Update' }));
  await screen.findByText('Created');
  expect(sent).toEqual({
    status: 'INVESTIGATING',
    message: 'The bank is down.',
    displayAt: '2025-11-21T13:00:00.000Z',
    notify: false,
  });
});

it('shows where an update is displayed at another time, and takes that time back', async () => {
  const moved = { ...bank, displayAt: '2026-11-20T12:00:00.000Z' };
  const { user } = await open([moved]);
  expect(screen.getByRole('table')).toHaveTextContent('Displayed at Nov 20, 2026 01:00:00 PM');
  serveItem(moved);
  let sent: unknown;
  server.use(
    http.patch(apiUrl(timeline.endpoints.item('bank')), async ({ request }) => {
      sent = await request.json();
      return success(bank);
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Edit update/ }));
  const displayed = await screen.findByLabelText(/^Displayed at/);
  expect(displayed).toHaveValue('2026-11-20T13:00');
  fireEvent.change(displayed, { target: { value: '' } });
  await user.click(screen.getByRole('button', { name: 'Update' }));
  await screen.findByText('Modified');
  expect(sent).toMatchObject({ displayAt: null });
});

it('records an update from before the end of a timeline that is closed', async () => {
  const { user } = await open([bank], 'It is resolved.', {
    status: 'RESOLVED',
    resolvedAt: '2025-11-21T13:00:00.000Z',
  });
  let sent: unknown;
  server.use(
    http.post(apiUrl(timeline.endpoints.create), async ({ request }) => {
      sent = await request.json();
      return success(bank, { status: 201 });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Record Past Update' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Record Past Update' }));
  await user.type(await message(), 'The bank is down.');
  await user.click(dialog.getByRole('button', { name: 'Record Update' }));
  expect(await screen.findByText('Please enter a valid date and time')).toBeInTheDocument();
  const displayed = dialog.getByLabelText(/^Displayed at/);
  fireEvent.change(displayed, { target: { value: '2025-11-21T14:00' } });
  expect(await screen.findByText('Display time must be before the resolution')).toBeInTheDocument();
  fireEvent.change(displayed, { target: { value: '2025-11-21T13:59' } });
  await user.click(dialog.getByRole('button', { name: 'Record Update' }));
  await screen.findByText('Created');
  expect(sent).toMatchObject({ displayAt: '2025-11-21T12:59:00.000Z', notify: false });
});

it('keeps its dialog when the recorded update closes the timeline', async () => {
  server.use(
    http.get(apiUrl(timeline.endpoints.list), () => success([])),
    http.post(apiUrl(timeline.endpoints.create), () => success(bank, { status: 201 })),
  );
  function Incident() {
    const [resolvedAt, setResolvedAt] = useState<string>();
    return (
      <UpdatesPanel
        timeline={timeline}
        about="Checkout"
        status={incidentStatuses.MONITORING}
        closed={resolvedAt && 'It is resolved.'}
        incident={{ status: resolvedAt ? 'RESOLVED' : 'INVESTIGATING', resolvedAt }}
        onChange={() => {
          setResolvedAt('2025-11-21T13:00:00.000Z');
          return new Promise(() => undefined);
        }}
      />
    );
  }
  const { user } = renderScreen(<Incident />);
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = screen.getByRole('dialog', { name: 'Record Update' });
  await user.type(await message(), 'It works again.');
  await user.click(within(dialog).getByRole('button', { name: 'Record Update' }));
  await screen.findByText('It is resolved.');
  expect(dialog).toHaveAccessibleName('Record Update');
  expect(within(dialog).getByLabelText(/^Displayed at/)).not.toBeRequired();
});

it('says why no update can be recorded', async () => {
  await open([bank], 'It is resolved.');
  expect(screen.getByRole('button', { name: 'Record Update' })).toBeDisabled();
  expect(screen.getByText('It is resolved.')).toBeInTheDocument();
});

it('edits an update as it is on the server, over the version that was loaded', async () => {
  const { user, onChange } = await open([bank]);
  serveItem({ ...bank, message: 'The bank is slow.' });
  let sent: unknown;
  let ifMatch: string | null = null;
  server.use(
    http.patch(apiUrl(timeline.endpoints.item('bank')), async ({ request }) => {
      sent = await request.json();
      ifMatch = request.headers.get('If-Match');
      return success(bank);
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Edit update/ }));
  const field = await message();
  expect(field).toHaveValue('The bank is slow.');
  expect(screen.getByRole('radio', { name: 'Identified' })).toBeChecked();
  expect(screen.getByRole('radio', { name: 'Identified' })).toHaveFocus();
  await user.type(field, ' Sorry.');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Modified')).toBeInTheDocument();
  expect(sent).toEqual({
    status: 'IDENTIFIED',
    message: 'The bank is slow. Sorry.',
    notify: true,
  });
  expect(ifMatch).toBe('"1"');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(onChange).toHaveBeenCalledTimes(1);
});

it('says when an update could not be loaded, and closes', async () => {
  const { user } = await open([bank]);
  server.use(http.get(apiUrl(timeline.endpoints.item('bank')), () => problem(404, 'Gone')));
  await user.click(screen.getByRole('button', { name: /^Edit update/ }));
  expect(await screen.findByText('Not loaded')).toBeInTheDocument();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('keeps what was typed when an edit fails', async () => {
  const { user } = await open([bank]);
  serveItem(bank);
  server.use(http.patch(apiUrl(timeline.endpoints.item('bank')), () => problem(403, 'No')));
  await user.click(screen.getByRole('button', { name: /^Edit update/ }));
  await user.type(await message(), ' Sorry.');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Not saved')).toBeInTheDocument();
  expect(await message()).toHaveValue('The bank is down. Sorry.');
});

it('shows another person’s version of an update', async () => {
  const { user } = await open([bank]);
  serveItem(bank);
  server.use(http.patch(apiUrl(timeline.endpoints.item('bank')), () => problem(412, 'Changed')));
  await user.click(screen.getByRole('button', { name: /^Edit update/ }));
  await user.type(await message(), ' Sorry.');
  serveItem({ ...bank, message: 'The bank is back.' }, '2');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('The bank is back.')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Use the New Version' }));
  expect(await message()).toHaveValue('The bank is back.');
});

it('keeps the choice to notify nobody when another version is taken', async () => {
  const { user } = await open([bank]);
  serveItem(bank);
  const sent: unknown[] = [];
  server.use(
    http.patch(apiUrl(timeline.endpoints.item('bank')), async ({ request }) => {
      sent.push(await request.json());
      return sent.length === 1 ? problem(412, 'Changed') : success(bank);
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Edit update/ }));
  await user.type(await message(), ' Sorry.');
  await user.click(screen.getByRole('checkbox', { name: 'Notify subscribers' }));
  serveItem({ ...bank, message: 'The bank is back.' }, '2');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  await user.click(await screen.findByRole('button', { name: 'Use the New Version' }));
  expect(await message()).toHaveValue('The bank is back.');
  expect(screen.getByRole('checkbox', { name: 'Notify subscribers' })).not.toBeChecked();
  await user.click(screen.getByRole('button', { name: 'Update' }));
  await screen.findByText('Modified');
  expect(sent[1]).toEqual({ status: 'IDENTIFIED', message: 'The bank is back.', notify: false });
});

it('records no update before it is known whether subscribers are notified', async () => {
  let respond: () => void = () => undefined;
  const responded = new Promise<void>((resolve) => (respond = resolve));
  server.use(
    http.get(apiUrl(endpoints.organisationSettings), async () => {
      await responded;
      return success(settings);
    }),
  );
  const { user } = await open([]);
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Record Update' }));
  await user.type(await message(), 'The bank is down.');
  expect(dialog.getByRole('button', { name: 'Record Update' })).toBeDisabled();
  respond();
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Record Update' })).toBeEnabled());
  expect(dialog.getByRole('checkbox', { name: 'Notify subscribers' })).toBeChecked();
});

it('deletes one update after asking', async () => {
  const updates = [bank, looking];
  const { user, onChange } = await open(updates);
  let sent: unknown;
  server.use(
    http.post(apiUrl(timeline.endpoints.remove), async ({ request }) => {
      sent = await request.json();
      updates.shift();
      return success({});
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Delete update “The bank is down.”' }));
  const question = screen.getByRole('alertdialog', { name: 'Delete this update?' });
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Update(s) deleted successfully')).toBeInTheDocument();
  expect(sent).toEqual({ incidentUpdateIds: ['bank'] });
  await waitFor(() => expect(screen.queryByText('The bank is down.')).not.toBeInTheDocument());
  expect(onChange).toHaveBeenCalledTimes(1);
});

/** Opens the question about the newest update, which has resolved the incident. */
async function askAboutResolution() {
  const resolution: Update = { ...bank, id: 'over', status: 'RESOLVED', message: 'Over.' };
  const { user } = await open([resolution, bank], 'It is resolved.', {
    status: 'RESOLVED',
    resolvedAt: resolution.displayAt,
  });
  const sent: unknown[] = [];
  server.use(
    http.post(apiUrl(timeline.endpoints.remove), async ({ request }) => {
      sent.push(await request.json());
      return success({});
    }),
  );
  const ask = async () => {
    await user.click(screen.getByRole('button', { name: 'Delete update “Over.”' }));
    return screen.findByRole('alertdialog', { name: 'Delete this update?' });
  };
  return { user, sent, ask, question: await ask() };
}

const notifies = (question: HTMLElement) =>
  within(question).getByRole('checkbox', { name: 'Notify subscribers' });

it('says which status the deletion of the newest update gives the incident, and notifies by default', async () => {
  const { user, sent, question } = await askAboutResolution();
  expect(question).toHaveAccessibleDescription(
    'It disappears from the timeline and the status page. Messages with its text that are not sent yet are withdrawn, unless it was edited. The status of the incident changes from Resolved to Identified, and it affects its components again.',
  );
  await waitFor(() => expect(notifies(question)).toBeChecked());
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  await screen.findByText('Update(s) deleted successfully');
  expect(sent).toEqual([{ incidentUpdateIds: ['over'], notify: true }]);
});

it('deletes the newest update without a message if that is chosen in the same question', async () => {
  const { user, sent, ask, question } = await askAboutResolution();
  await waitFor(() => expect(notifies(question)).toBeEnabled());
  await user.click(notifies(question));
  await user.click(within(question).getByRole('button', { name: 'Cancel' }));
  const again = await ask();
  expect(notifies(again)).toBeChecked();
  await user.click(notifies(again));
  await user.click(within(again).getByRole('button', { name: 'Delete' }));
  await screen.findByText('Update(s) deleted successfully');
  expect(sent).toEqual([{ incidentUpdateIds: ['over'], notify: false }]);
});

it('deletes what is left of the chosen updates if another user has deleted one first', async () => {
  const { user } = await open([bank, looking]);
  const sent: unknown[] = [];
  server.use(
    http.post(apiUrl(timeline.endpoints.remove), async ({ request }) => {
      sent.push(await request.json());
      if (sent.length > 1) return success({});
      return problem(422, 'Some fields are wrong', [
        { field: 'incidentUpdateIds[0]', message: 'This update does not exist' },
      ]);
    }),
  );
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  const question = screen.getByRole('alertdialog', { name: 'Delete 2 updates?' });
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Update(s) deleted successfully')).toBeInTheDocument();
  expect(sent).toEqual([
    { incidentUpdateIds: ['bank', 'looking'] },
    { incidentUpdateIds: ['looking'] },
  ]);
});

it('deletes several updates by one request, and reports a failure', async () => {
  const { user } = await open([bank, looking]);
  let sent: unknown;
  server.use(
    http.post(apiUrl(timeline.endpoints.remove), async ({ request }) => {
      sent = await request.json();
      return problem(409, 'The only update stays');
    }),
  );
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  const question = screen.getByRole('alertdialog', { name: 'Delete 2 updates?' });
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Failed to delete updates')).toBeInTheDocument();
  expect(screen.getByText('The only update stays')).toBeInTheDocument();
  expect(sent).toEqual({ incidentUpdateIds: ['bank', 'looking'] });
});

it('says when the updates could not be fetched', async () => {
  server.use(http.get(apiUrl(timeline.endpoints.list), () => problem(403, 'No')));
  renderScreen(
    <UpdatesPanel
      timeline={timeline}
      about="Checkout"
      status={incidentStatuses.MONITORING}
      onChange={() => Promise.resolve()}
    />,
  );
  expect(await screen.findByText('Error while fetching updates')).toBeInTheDocument();
  expect(await screen.findByText('The updates could not be loaded')).toBeInTheDocument();
});

it('opens and closes a long message', async () => {
  const message = `Line one.\n\n${'A long line. '.repeat(20)}\n\nThe end.`;
  const { user } = await open([{ ...bank, message }, looking]);
  const cell = screen.getByText(/^Line one/);
  expect(cell.textContent).not.toContain('\n\n');
  expect(cell).toHaveClass('line-clamp-3');
  await user.click(screen.getByRole('button', { name: /^Show more of update “Line one/ }));
  expect(cell.textContent).toBe(message);
  expect(cell).not.toHaveClass('line-clamp-3');
  await user.click(screen.getByRole('button', { name: /^Show less of update “Line one/ }));
  expect(cell).toHaveClass('line-clamp-3');
});

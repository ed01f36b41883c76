import { act, screen, within } from '@testing-library/react';
import { useFormikContext } from 'formik';
import { http } from 'msw';
import { useEffect, useState } from 'react';
import { expect, it } from 'vitest';
import type { IncidentStatus } from '@/api/types';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { apiUrl, server, success } from '@/testing/server';
import { incidentStatuses } from '@/ui/statuses';
import { incidentTimeline } from './incident-timeline';
import { RecordUpdateDialog } from './record-update-dialog';

/** A button in place of the fields of the components. */
function SlowApi() {
  const { setFieldValue } = useFormikContext();
  return (
    <button type="button" onClick={() => void setFieldValue('impacts', { api: 'DEGRADED' })}>
      Slow API
    </button>
  );
}

/** Opens the dialog of an incident whose status another user changes by `move`. */
function open(first: IncidentStatus, before?: string) {
  let move: (status: IncidentStatus) => void = () => undefined;
  function Incident() {
    const [status, setStatus] = useState(first);
    useEffect(() => {
      move = setStatus;
    }, []);
    return (
      <RecordUpdateDialog
        timeline={incidentTimeline('i')}
        about="Checkout"
        status={incidentStatuses[status]}
        incidentStatus={status}
        before={before}
        impacts={<SlowApi />}
        onClose={() => undefined}
        onRecorded={() => Promise.resolve()}
      />
    );
  }
  const sent: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.incidents.createUpdate('i')), async ({ request }) => {
      sent.push(await request.json());
      return success({}, { status: 201 });
    }),
  );
  const { user } = renderScreen(<Incident />);
  return {
    user,
    sent,
    move: (status: IncidentStatus) => act(() => move(status)),
    choose: (name: string) => user.click(screen.getByRole('radio', { name })),
    type: (text: string) => user.type(screen.getByRole('textbox', { name: /Message/ }), text),
    submit: () => user.click(screen.getByRole('button', { name: 'Record Update' })),
  };
}

const statuses = () => screen.getByRole('radiogroup', { name: /Status/ });
const conflict = () => screen.getByRole('alert');
const noConflict = () => expect(screen.queryByRole('alert')).not.toBeInTheDocument();

it('says when the chosen status moves the incident back, also if it is the default', async () => {
  const { choose } = open('MONITORING');
  expect(screen.getByRole('radio', { name: 'Investigating' })).toBeChecked();
  const note = screen.getByText('This moves the incident back from Monitoring to Investigating.');
  expect(note).toHaveAttribute('aria-live', 'polite');
  expect(statuses()).toHaveAccessibleDescription(note.textContent);
  await choose('Identified');
  expect(note).toHaveTextContent('This moves the incident back from Monitoring to Identified.');
  await choose('Monitoring');
  expect(note).toBeEmptyDOMElement();
  await choose('Resolved');
  expect(note).toBeEmptyDOMElement();
});

it('says nothing of a past update, which leaves the status as it is', () => {
  open('RESOLVED', '2025-11-21T13:00:00.000Z');
  expect(screen.queryByText(/moves the incident back/)).not.toBeInTheDocument();
  noConflict();
});

it('records nothing over a status that the user has not seen, until one is chosen', async () => {
  const { move, type, submit, sent } = open('INVESTIGATING');
  await type('We look into it.');
  move('MONITORING');
  expect(conflict()).toHaveTextContent('This incident has changed since you opened it');
  expect(within(conflict()).getByRole('definition')).toHaveTextContent('Monitoring');
  await submit();
  expect(sent).toEqual([]);
  await screen.findByText('Error while creating or updating incident');
  expect(conflict()).toBeInTheDocument();
});

it('takes the new status, or keeps the chosen one', async () => {
  const { user, move, choose, type, submit, sent } = open('INVESTIGATING');
  await choose('Identified');
  move('MONITORING');
  await user.click(screen.getByRole('button', { name: 'Use the New Version' }));
  expect(screen.getByRole('radio', { name: 'Monitoring' })).toBeChecked();
  noConflict();
  await choose('Identified');
  noConflict();
  move('INVESTIGATING');
  await user.click(screen.getByRole('button', { name: 'Keep Mine' }));
  noConflict();
  await type('It is the bank.');
  await submit();
  await screen.findByText('Incident Update Created');
  expect(sent).toEqual([{ status: 'IDENTIFIED', message: 'It is the bank.', notify: true }]);
});

it('shows no conflict if the new status is the chosen one', async () => {
  const { move, choose, type, submit, sent } = open('INVESTIGATING');
  await choose('Monitoring');
  await type('It works again.');
  move('MONITORING');
  noConflict();
  await submit();
  expect(sent).toHaveLength(1);
});

it('says when the incident was resolved meanwhile', () => {
  const { move } = open('INVESTIGATING');
  move('RESOLVED');
  expect(conflict()).toHaveTextContent('This incident has been resolved since you opened it');
});

it.each([
  ['Monitoring', 'MONITORING', [{ componentId: 'api', status: 'DEGRADED' }]],
  ['Resolved', 'RESOLVED', undefined],
])('sends statuses of components unless it resolves: %s', async (name, status, components) => {
  const { user, choose, type, submit, sent } = open('INVESTIGATING');
  await user.click(screen.getByRole('button', { name: 'Slow API' }));
  await choose(name);
  await type('It is slow.');
  await submit();
  await screen.findByText('Incident Update Created');
  expect(sent).toEqual([{ status, message: 'It is slow.', notify: true, components }]);
});

it('changes no statuses by an update of the past', () => {
  open('RESOLVED', '2025-11-21T13:00:00.000Z');
  expect(screen.queryByRole('button', { name: 'Slow API' })).not.toBeInTheDocument();
});

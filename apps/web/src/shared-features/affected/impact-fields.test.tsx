import { screen, waitFor } from '@testing-library/react';
import { Formik } from 'formik';
import { http } from 'msw';
import { expect, it } from 'vitest';
import type { AttachedComponent, ComponentStatus, IncidentStatus } from '@/api/types';
import { endpoints } from '@/paths';
import { renderScreen } from '@/testing/render';
import { apiUrl, problem, server, success } from '@/testing/server';
import { ImpactFields } from './impact-fields';

const list = apiUrl(endpoints.incidents.components('i'));

function attached(name: string, status: ComponentStatus): AttachedComponent {
  const id = name.toLowerCase();
  return { componentId: id, status, component: { id, code: '0123456789ab', name, status } };
}

/** Renders the fields in a form that shows its impacts. */
function render(status: IncidentStatus, components: AttachedComponent[] = []) {
  server.use(http.get(list, () => success(components)));
  return renderScreen(
    <Formik initialValues={{ status, impacts: {} }} onSubmit={() => Promise.resolve()}>
      {({ values, submitForm }) => (
        <>
          <ImpactFields incidentId="i" />
          <button onClick={() => void submitForm()}>Send</button>
          <output aria-label="Impacts">{JSON.stringify(values.impacts)}</output>
        </>
      )}
    </Formik>,
  );
}

const impacts = () => screen.getByRole('status', { name: 'Impacts' }).textContent;

it('keeps what differs from the stored statuses, and says how many do when it is folded', async () => {
  const components = [attached('API', 'MAJOR_OUTAGE'), attached('Shop', 'DEGRADED')];
  const { user } = render('IDENTIFIED', components);
  const fold = screen.getByRole('button', { name: 'Component Statuses' });
  expect(fold).toHaveAttribute('aria-expanded', 'false');
  await user.click(fold);
  const api = await screen.findByRole('combobox', { name: 'API' });
  expect(api).toHaveDisplayValue('Major Outage');
  await user.selectOptions(api, 'Degraded Performance');
  expect(impacts()).toBe('{"api":"DEGRADED"}');
  await user.click(fold);
  expect(fold).toHaveAccessibleName('Component Statuses: 1 changed');
  await user.click(fold);
  const again = await screen.findByRole('combobox', { name: 'API' });
  expect(again).toHaveDisplayValue('Degraded Performance');
  await user.selectOptions(again, 'Major Outage');
  expect(impacts()).toBe('{}');
});

it('drops the new status of a component that is no longer attached, also when it is folded', async () => {
  const shop = attached('Shop', 'DEGRADED');
  const { user } = render('IDENTIFIED', [attached('API', 'MAJOR_OUTAGE'), shop]);
  const fold = screen.getByRole('button', { name: 'Component Statuses' });
  await user.click(fold);
  for (const name of ['API', 'Shop']) {
    await user.selectOptions(await screen.findByRole('combobox', { name }), 'Operational');
  }
  await user.click(fold);
  expect(impacts()).toBe('{"api":"OPERATIONAL","shop":"OPERATIONAL"}');
  server.use(http.get(list, () => success([shop])));
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() => expect(impacts()).toBe('{"shop":"OPERATIONAL"}'));
  expect(fold).toHaveAccessibleName('Component Statuses: 1 changed');
  await user.click(fold);
  expect(screen.getByRole('combobox', { name: 'Shop' })).toHaveDisplayValue('Operational');
  expect(screen.queryByRole('combobox', { name: 'API' })).not.toBeInTheDocument();
});

it('sets one status for all', async () => {
  const components = [attached('API', 'MAJOR_OUTAGE'), attached('Shop', 'OPERATIONAL')];
  const { user } = render('MONITORING', components);
  await user.click(screen.getByRole('button', { name: 'Component Statuses' }));
  const all = await screen.findByRole('combobox', { name: 'Status for all' });
  expect(all).toHaveDisplayValue('Several statuses');
  await user.selectOptions(all, 'Operational');
  expect(impacts()).toBe('{"api":"OPERATIONAL"}');
});

it('says that no component is attached, and leads to where one is', async () => {
  const { user } = render('IDENTIFIED');
  await user.click(screen.getByRole('button', { name: 'Component Statuses' }));
  const none = 'No component is attached to this incident.';
  expect(await screen.findByText(none)).toBeInTheDocument();
  const link = screen.getByRole('link', { name: 'Attach Components' });
  expect(link).toHaveAttribute('href', '/incidents/incident/edit/i?tab=components');
});

it('says why the components could not be read, and tries again', async () => {
  const { user } = render('IDENTIFIED', [attached('API', 'DEGRADED')]);
  server.use(http.get(list, () => problem(403, 'No'), { once: true }));
  await user.click(screen.getByRole('button', { name: 'Component Statuses' }));
  expect(await screen.findByText('No')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('combobox', { name: 'API' })).toBeInTheDocument();
});

it('has no statuses for an update that resolves the incident', () => {
  render('RESOLVED');
  expect(screen.queryByRole('button', { name: /^Component/ })).not.toBeInTheDocument();
  expect(screen.getByText(/it affects no component any more/)).toBeInTheDocument();
});

import type { Organisation } from './operator';

interface Created {
  id: string;
}

/** Creates one item of each kind with long names, and the given component. */
export async function fill(
  organisation: Organisation,
  component: { name: string; description?: string },
) {
  const create = async (path: string, data: object) =>
    (await organisation.call<Created>('POST', path, data)).id;
  const componentId = await create('/component/create', { status: 'DEGRADED', ...component });
  const incidentId = await create('/incident/create', {
    title: 'Payments fail in every shop that takes a card, and in some that do not',
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components: [{ componentId, status: 'MAJOR_OUTAGE' }],
  });
  await create(`/incident/${incidentId}/updates/create`, {
    status: 'IDENTIFIED',
    message: 'The bank is down.\nWe wait.',
  });
  const maintenanceId = await create('/maintenance/create', {
    title: 'Database upgrade',
    description: 'Writes pause.',
    startAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  return {
    componentForm: `/components/component/edit/${componentId}`,
    incidentForm: `/incidents/incident/edit/${incidentId}`,
    maintenanceForm: `/schedules/maintenance/edit/${maintenanceId}`,
  };
}

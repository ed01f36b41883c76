import type { EditedMaintenance } from './maintenance';

export function aMaintenance(changes: Partial<EditedMaintenance> = {}): EditedMaintenance {
  return {
    id: 'maintenance-1',
    code: '0123456789ab',
    title: 'Database upgrade',
    description: 'Writes pause for a while.',
    status: 'SCHEDULED',
    startAt: '2026-12-01T21:00:00.000Z',
    endAt: '2026-12-01T23:00:00.000Z',
    components: [],
    notify: true,
    createdAt: '2026-11-21T13:07:16.000Z',
    updatedAt: '2026-11-21T13:07:16.000Z',
    ...changes,
  };
}

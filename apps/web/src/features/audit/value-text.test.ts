import { expect, it } from 'vitest';
import { fieldName, valueText } from './value-text';

const names = new Map([
  ['c1', 'API'],
  ['g1', 'Europe'],
]);
const text = (field: string, value: unknown) => valueText(field, value, names);

it('writes the names of fields as words', () => {
  expect(fieldName('onlyShowWhenAffected')).toBe('Only show when affected');
  expect(fieldName('occuredAt')).toBe('Occurred at');
  expect(fieldName('groupId')).toBe('Group');
});

it('writes plain values for people', () => {
  expect(text('showUptime', true)).toBe('Yes');
  expect(text('position', 0)).toBe('0');
  expect(text('description', '')).toBeUndefined();
  expect(text('description', null)).toBeUndefined();
  expect(text('components', [])).toBeUndefined();
  expect(text('resolvedAt', '2026-11-21T12:00:00.000Z')).toBe('Nov 21, 2026 01:00:00 PM');
});

it('uses the words of the other screens for those of the API', () => {
  expect(text('status', 'INVESTIGATING')).toBe('Investigating');
  expect(text('status', 'PARTIAL_OUTAGE')).toBe('Partial Outage');
  expect(text('role', 'editor')).toBe('Editor');
  expect(text('channel', 'teams')).toBe('Microsoft Teams');
  expect(text('display', 'OPEN_WHEN_AFFECTED')).toBe('Open when affected');
});

it('leaves what people wrote', () => {
  expect(text('title', 'RESOLVED')).toBe('RESOLVED');
});

it('names components and groups', () => {
  expect(text('groupId', 'g1')).toBe('Europe');
  expect(text('components', ['c1', 'deleted'])).toBe('API\ndeleted');
  expect(text('components', [{ componentId: 'c1', status: 'MAJOR_OUTAGE' }])).toBe(
    'API: Major Outage',
  );
});

it('writes other objects line by line', () => {
  const updates = [
    { status: 'RESOLVED', message: 'Over.' },
    { status: 'MONITORING', message: null },
  ];
  expect(text('items', updates)).toBe('Status: Resolved\nMessage: Over.\n\nStatus: Monitoring');
});

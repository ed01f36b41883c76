import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { StatusBadge } from './badge';
import { componentStatuses, incidentStatuses, maintenanceStatuses } from './statuses';
import { subscriberStatuses, verification } from './subscriber-statuses';

const all = [
  componentStatuses,
  incidentStatuses,
  maintenanceStatuses,
  subscriberStatuses,
  verification,
].flatMap((table) => Object.values(table));

it('labels every status with its common name', () => {
  expect(all.map((status) => status.label)).toEqual([
    ...['Operational', 'Degraded Performance', 'Partial Outage', 'Major Outage'],
    ...['Investigating', 'Identified', 'Monitoring', 'Resolved'],
    ...['Scheduled', 'In Progress', 'Completed', 'Cancelled'],
    ...['Pending', 'Subscribed', 'Unsubscribed'],
    ...['Verified', 'Not Verified'],
  ]);
});

it('never lets colour speak alone: every badge has an icon and a word', () => {
  for (const status of all) {
    const { unmount, container } = render(<StatusBadge {...status} />);
    expect(screen.getByText(status.label)).toBeInTheDocument();
    expect(container.querySelector('svg')).toBeInTheDocument();
    unmount();
  }
});

import { fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { aComponent, aSnapshot } from './fixtures';
import { UptimeBars } from './uptime-bars';

const uptime = {
  percentage: 99.95,
  days: [{ date: '2026-11-19', partial: 0, major: 3600, degraded: 0 }],
};

function show() {
  render(<UptimeBars component={aComponent()} uptime={uptime} state={aSnapshot()} />);
  return screen.getByRole('listbox', { name: 'Uptime of Website' });
}

const tip = () => document.querySelector('.uptime-tip');

it('names at rest the days with an outage, and the others at once', () => {
  const list = show();
  expect(
    within(list)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['Nov 19, 2026: 1 hr outage (major)', 'No downtime recorded on other days']);
  expect(screen.getByText('99.95 % uptime')).toBeInTheDocument();
  expect(tip()).toBeNull();
});

it('has a text of each day by keyboard, and a tooltip of the chosen one', async () => {
  const user = userEvent.setup();
  const list = show();
  await user.tab();
  expect(list).toHaveFocus();
  expect(within(list).getAllByRole('option')).toHaveLength(90);
  expect(tip()).toHaveTextContent('Nov 20, 2026: No downtime recorded');
  await user.keyboard('{ArrowLeft}');
  expect(tip()).toHaveTextContent('Nov 19, 2026: 1 hr outage (major)');
  const chosen = within(list).getByRole('option', { selected: true });
  expect(chosen).toHaveTextContent('Nov 19, 2026');
  expect(list).toHaveAttribute('aria-activedescendant', chosen.id);
  await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
  expect(tip()).toHaveTextContent('Nov 19, 2026: 1 hr outage (major)');
  await user.keyboard('{Home}');
  expect(tip()).toHaveTextContent('Aug 23, 2026: No downtime recorded');
  await user.keyboard('{Escape}');
  expect(tip()).toBeNull();
  await user.tab();
  expect(within(list).getAllByRole('option')).toHaveLength(2);
});

it('has a tooltip that the pointer can reach, and that Escape dismisses wherever the focus is', async () => {
  const user = userEvent.setup();
  const list = show();
  const rect = { left: 0, width: 900 } as DOMRect;
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(rect);
  fireEvent.pointerMove(list, { clientX: 885 });
  expect(tip()).toHaveTextContent('Nov 19, 2026: 1 hr outage (major)');
  fireEvent.pointerOut(list, { relatedTarget: tip() });
  expect(tip()).toBeVisible();
  await user.keyboard('{Escape}');
  expect(tip()).toBeNull();
  fireEvent.pointerMove(list, { clientX: 885 });
  fireEvent.pointerOut(list, { relatedTarget: document.body });
  expect(tip()).toBeNull();
});

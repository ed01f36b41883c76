import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Button } from './button';
import { DropdownMenu, MenuItem, MenuSeparator } from './dropdown-menu';
import { Tabs } from './tabs';
import { ThemeMenu } from './theme-menu';

it('opens a menu by keyboard, chooses, and takes the focus back', async () => {
  const onSelect = vi.fn();
  render(
    <DropdownMenu trigger={<Button>Organisation</Button>}>
      <MenuItem checked onSelect={() => undefined}>
        Analytical Engines
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={onSelect}>Difference Engines</MenuItem>
    </DropdownMenu>,
  );
  await userEvent.tab();
  await userEvent.keyboard('{Enter}');
  expect(screen.getByRole('menuitemcheckbox', { name: 'Analytical Engines' })).toBeChecked();
  await userEvent.keyboard('{ArrowDown}');
  const focused = screen.getByRole('menuitem', { name: 'Difference Engines' });
  expect(focused).toHaveFocus();
  expect(focused.className).not.toContain('outline-none');
  await userEvent.keyboard('{Enter}');
  expect(onSelect).toHaveBeenCalledTimes(1);
  expect(screen.getByRole('button', { name: 'Organisation' })).toHaveFocus();
});

it('marks exactly one of the choices as checked', async () => {
  render(<ThemeMenu />);
  await userEvent.click(screen.getByRole('button', { name: 'Theme: Dark' }));
  const group = screen.getByRole('group', { name: 'Theme' });
  const checked = () =>
    within(group)
      .getAllByRole('menuitemradio')
      .map((item) => `${item.textContent} ${item.getAttribute('aria-checked')}`);
  expect(checked()).toEqual(['Dark true', 'Light false', 'System false']);
  await userEvent.click(screen.getByRole('menuitemradio', { name: 'Light' }));
  await userEvent.click(screen.getByRole('button', { name: 'Theme: Light' }));
  expect(screen.getByRole('menuitemradio', { name: 'Light' })).toBeChecked();
});

it('opens the given tab, and another one by arrow key', async () => {
  render(
    <Tabs
      label="Incident"
      defaultValue="updates"
      tabs={[
        { value: 'components', label: 'Components', content: 'Attached components' },
        { value: 'updates', label: 'Updates', content: 'Recorded updates' },
      ]}
    />,
  );
  expect(screen.getByRole('tabpanel', { name: 'Updates' })).toHaveTextContent('Recorded updates');
  await userEvent.tab();
  await userEvent.keyboard('{ArrowLeft}');
  expect(screen.getByRole('tabpanel', { name: 'Components' })).toBeInTheDocument();
});

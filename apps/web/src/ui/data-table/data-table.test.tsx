import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { Button } from '@/ui/button';
import { columnsOf } from './columns';
import { DataTable } from './data-table';
import type { TableMemory, TableView } from './use-table-view';

interface Service {
  id: string;
  name: string;
  load: number;
}

const column = columnsOf<Service>();
const columns = column.columns([
  column.accessor('name', { header: 'Name' }),
  column.accessor('load', { header: 'Load' }),
  column.display({ id: 'edit', header: 'Edit', cell: ({ row }) => `Edit ${row.original.name}` }),
  column.display({ id: 'delete', header: 'Delete', cell: () => 'Delete' }),
]);

const services = (count: number): Service[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `id-${index + 1}`,
    name: `api ${index + 1}`,
    load: 100 - index,
  }));

const noMemory: TableMemory = { read: () => undefined, write: () => undefined };

function table(
  rows: Service[] | undefined,
  { readOnly = false, source = '', memory = noMemory } = {},
) {
  return (
    <DataTable
      label="Services"
      readOnly={readOnly}
      source={source}
      memory={memory}
      columns={columns}
      rows={rows}
      getRowId={(row) => row.id}
      rowLabel={(row) => row.name}
      bulkActions={(selected, clear) => (
        <Button onClick={clear}>Delete {selected.map((row) => row.name).join(' and ')}</Button>
      )}
      footer={<Button>Show Older</Button>}
    />
  );
}

const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[1]?.textContent);

it('shows five rows a page and says which page it is', async () => {
  render(table(services(12)));
  expect(names()).toEqual(['api 1', 'api 2', 'api 3', 'api 4', 'api 5']);
  expect(screen.getByText('Page 1 of 3')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Previous' })).toHaveAttribute('aria-disabled', 'true');
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  expect(names()).toEqual(['api 11', 'api 12']);
  expect(screen.getByText('Page 3 of 3')).toBeInTheDocument();
  const next = screen.getByRole('button', { name: 'Next' });
  expect(next).toHaveAttribute('aria-disabled', 'true');
  expect(next).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  expect(screen.getByText('Page 3 of 3')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Previous' }));
  expect(screen.getByText('Page 2 of 3')).toBeInTheDocument();
});

it('offers 5, 10, 20, 30, 40 and 50 rows a page', async () => {
  render(table(services(12)));
  const size = screen.getByRole('combobox', { name: 'Rows per page' });
  expect(size).toHaveValue('5');
  expect(
    within(size)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual([...['5', '10', '20', '30', '40', '50']]);
  await userEvent.selectOptions(size, '20');
  expect(names()).toHaveLength(12);
  expect(screen.getByText('Page 1 of 1')).toBeInTheDocument();
});

it('sorts by a header’s button, the other way, and back, and says so', async () => {
  render(table(services(12)));
  const header = screen.getByRole('columnheader', { name: 'Name' });
  const button = within(header).getByRole('button', { name: 'Name' });
  expect(header).toHaveAttribute('aria-sort', 'none');
  await userEvent.click(button);
  expect(header).toHaveAttribute('aria-sort', 'ascending');
  expect(names()).toEqual(['api 1', 'api 2', 'api 3', 'api 4', 'api 5']);
  await userEvent.click(button);
  expect(header).toHaveAttribute('aria-sort', 'descending');
  expect(names()).toEqual(['api 12', 'api 11', 'api 10', 'api 9', 'api 8']);
  await userEvent.click(button);
  expect(header).toHaveAttribute('aria-sort', 'none');
});

it('begins at the first page again when it sorts, and stays on its page when a row comes', async () => {
  const { rerender } = render(table(services(12)));
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  rerender(table(services(13)));
  expect(screen.getByText('Page 2 of 3')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Name' }));
  expect(screen.getByText('Page 1 of 3')).toBeInTheDocument();
  expect(names()[0]).toBe('api 1');
});

it('does not offer to sort what has no value', () => {
  render(table(services(1)));
  const header = screen.getByRole('columnheader', { name: 'Edit' });
  expect(header).not.toHaveAttribute('aria-sort');
  expect(within(header).queryByRole('button')).not.toBeInTheDocument();
});

it('selects rows of several pages for actions, and clears the selection', async () => {
  render(table(services(7)));
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select api 2' }));
  expect(screen.getByText('1 selected')).toBeInTheDocument();
  expect(
    screen.getByRole('checkbox', { name: 'Select all rows on this page' }),
  ).toBePartiallyChecked();
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
  const action = screen.getByRole('button', { name: 'Delete api 2 and api 6 and api 7' });
  await userEvent.click(action);
  expect(action).not.toBeInTheDocument();
});

it('keeps the names of the columns while the actions of selected rows are over them', async () => {
  render(table(services(2)));
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select api 2' }));
  const headers = screen.getAllByRole('columnheader').slice(1);
  expect(headers.map((header) => header.getAttribute('aria-label'))).toEqual([
    'Name',
    'Load',
    'Edit',
    'Delete',
  ]);
});

it('forgets the selection of a row that is gone', async () => {
  const { rerender } = render(table(services(2)));
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select api 2' }));
  rerender(table(services(1)));
  expect(screen.queryByText('1 selected')).not.toBeInTheDocument();
});

it('stays on its page when rows arrive, and goes back when its page is gone', async () => {
  const { rerender } = render(table(services(7)));
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  rerender(table(services(8)));
  expect(names()).toEqual(['api 6', 'api 7', 'api 8']);
  rerender(table(services(5)));
  expect(screen.getByText('Page 1 of 1')).toBeInTheDocument();
  expect(names()).toHaveLength(5);
});

it('begins at the first page when the rows come from elsewhere, like with another filter', async () => {
  let view: TableView | undefined;
  const memory: TableMemory = { read: () => view, write: (next) => void (view = next) };
  const all = { source: '/list', memory };
  const filtered = { source: '/list?state=pending', memory };
  const { rerender, unmount } = render(table(services(12), all));
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  rerender(table(services(12), filtered));
  expect(screen.getByText('Page 1 of 3')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Next' }));
  unmount();
  const again = render(table(services(12), filtered));
  expect(screen.getByText('Page 2 of 3')).toBeInTheDocument();
  again.unmount();
  render(table(services(12), all));
  expect(screen.getByText('Page 1 of 3')).toBeInTheDocument();
});

it('shows No Data without rows, and is busy while they are loading', () => {
  const { rerender } = render(table(undefined));
  expect(screen.getByRole('table', { name: 'Services' })).toHaveAttribute('aria-busy', 'true');
  expect(screen.queryByText('No Data')).not.toBeInTheDocument();
  rerender(table([]));
  expect(screen.getByText('No Data')).toBeInTheDocument();
  expect(screen.getByRole('table', { name: 'Services' })).toHaveAttribute('aria-busy', 'false');
});

it.each([true, false])('puts only a checkbox beside a stacked row (read only: %s)', (readOnly) => {
  render(table(services(1), { readOnly }));
  for (const row of screen.getAllByRole('row')) {
    const cells = [...row.children];
    const beside = cells.filter((cell) => cell.classList.contains('stacked:absolute'));
    expect(beside).toEqual(readOnly ? [] : [cells[0]]);
    expect(row).toHaveClass(readOnly ? 'stacked:pl-4' : 'stacked:pl-12');
  }
  const names = screen.getAllByRole('cell').filter((cell) => cell.matches('.stacked\\:w-full'));
  expect(names.map(({ textContent }) => textContent)).toEqual(['api 1']);
});

it('keeps the actions of a stacked row on one line', () => {
  render(table(services(1)));
  const [edit, remove] = screen.getAllByRole('cell').slice(-2);
  expect(edit).toHaveClass('stacked:ml-auto', 'stacked:mr-11');
  expect(remove).toHaveClass('stacked:-ml-11');
});

it('keeps the focus when the row that has it is gone', () => {
  const { rerender } = render(table(services(2)));
  const row = screen.getByRole('checkbox', { name: 'Select api 2' });
  row.focus();
  rerender(table(services(1)));
  expect(row).not.toBeInTheDocument();
  expect(screen.getByRole('group', { name: 'Services' })).toHaveFocus();
});

it('takes no focus that is elsewhere when a row goes', () => {
  const { rerender } = render(table(services(2)));
  const row = screen.getByRole('checkbox', { name: 'Select api 2' });
  row.focus();
  row.blur();
  rerender(table(services(1)));
  expect(document.body).toHaveFocus();
});

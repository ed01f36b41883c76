import { screen, waitFor } from '@testing-library/react';
import { Formik } from 'formik';
import { http } from 'msw';
import { endpoints } from '@/paths';
import { component } from '@/testing/component';
import { componentGroup } from '@/testing/component-group';
import { renderScreen } from '@/testing/render';
import { apiUrl, server, success } from '@/testing/server';
import { Button } from '@/ui/button';
import { Form } from '@/ui/form';
import { expect, it } from 'vitest';
import type { Affected } from './affected';
import { AffectedComponentsField } from './affected-components-field';

it('moves the focus to the group when a removal leaves no component to add', async () => {
  const website = { id: 'website', name: 'Website' };
  const { user } = renderScreen(
    <Formik
      initialValues={{ components: [{ componentId: website.id }, { componentId: 'deleted' }] }}
      onSubmit={() => undefined}
    >
      <AffectedComponentsField
        choices={[website]}
        noun="maintenance"
        newRow={{ componentId: '' }}
      />
    </Formik>,
  );
  const [, second = document.body] = screen.getAllByRole('button', { name: 'Remove' });
  await user.click(second);
  expect(screen.getByRole('button', { name: 'Add Component' })).toBeDisabled();
  expect(screen.getByRole('group', { name: 'Affected Components' })).toHaveFocus();
});

it('adds and removes no rows while its form is being saved', async () => {
  const choices = ['Website', 'API'].map((name) => ({ id: name, name }));
  const { user } = renderScreen(
    <Formik
      initialValues={{ components: [{ componentId: 'Website' }] }}
      onSubmit={() => new Promise<void>(() => undefined)}
    >
      {({ isSubmitting }) => (
        <Form>
          <AffectedComponentsField
            choices={choices}
            noun="maintenance"
            newRow={{ componentId: '' }}
          />
          <Button type="submit" pending={isSubmitting}>
            Save
          </Button>
        </Form>
      )}
    </Formik>,
  );
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled());
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Remove' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
});

const grouped = [
  component('Website', { position: 1 }),
  component('API', { groupId: 'europe', position: 2 }),
  component('Search', { groupId: 'europe', position: 3 }),
  component('Mail', { groupId: 'asia', position: 4 }),
];

/** Renders the field with components in groups. */
async function renderGrouped(newRow: Affected) {
  server.use(
    http.get(apiUrl(endpoints.components.list), () => success(grouped)),
    http.get(apiUrl(endpoints.componentGroups.list), () =>
      success([
        componentGroup('Europe', { position: 1 }),
        componentGroup('Asia', { position: 2 }),
        componentGroup('Empty', { position: 3 }),
      ]),
    ),
  );
  const { user } = renderScreen(
    <Formik initialValues={{ components: [] as Affected[] }} onSubmit={() => undefined}>
      <AffectedComponentsField choices={grouped} noun="incident" newRow={newRow} />
    </Formik>,
  );
  await screen.findByRole('button', { name: 'Add Group' });
  return user;
}

const addGroup = () => screen.getByRole('button', { name: 'Add Group' });
const values = (name: RegExp) =>
  screen.getAllByRole<HTMLSelectElement>('combobox', { name }).map(({ value }) => value);

it('adds the components of a group that are left, and moves the focus to the first of them', async () => {
  const user = await renderGrouped({ componentId: '' });
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  await user.selectOptions(screen.getByRole('combobox', { name: /^Component/ }), 'Search');
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  await user.click(addGroup());
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual([
    'All of Europe',
    'All of Asia',
  ]);
  await user.click(screen.getByRole('menuitem', { name: 'All of Europe' }));
  // The row without a component gives way.
  expect(values(/^Component/)).toEqual(['search', 'api']);
  await waitFor(() =>
    expect(screen.getAllByRole('combobox', { name: /^Component/ })[1]).toHaveFocus(),
  );
  await user.click(addGroup());
  expect(screen.queryByRole('menuitem', { name: 'All of Europe' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('menuitem', { name: 'All of Asia' }));
  expect(values(/^Component/)).toEqual(['search', 'api', 'mail']);
  expect(addGroup()).toBeDisabled();
  expect(screen.queryByRole('combobox', { name: 'Status for all' })).not.toBeInTheDocument();
});

it('sets one status in all rows, from two rows on', async () => {
  const user = await renderGrouped({ componentId: '', status: 'OPERATIONAL' });
  await user.click(screen.getByRole('button', { name: 'Add Component' }));
  expect(screen.queryByRole('combobox', { name: 'Status for all' })).not.toBeInTheDocument();
  await user.click(addGroup());
  await user.click(screen.getByRole('menuitem', { name: 'All of Europe' }));
  const all = screen.getByRole('combobox', { name: 'Status for all' });
  expect(all).toHaveValue('OPERATIONAL');
  await user.selectOptions(all, 'Major Outage');
  expect(values(/^Status$/)).toEqual(['MAJOR_OUTAGE', 'MAJOR_OUTAGE']);
  const [first = all] = screen.getAllByRole('combobox', { name: /^Status/ });
  await user.selectOptions(first, 'Degraded Performance');
  expect(all).toHaveDisplayValue('Several statuses');
});

it('describes itself by its error, and gives the focus to the button that helps', async () => {
  const { user } = renderScreen(
    <Formik
      initialValues={{ components: [] as Affected[] }}
      validate={() => ({ components: 'At least one component is required' })}
      onSubmit={() => undefined}
    >
      <Form>
        <AffectedComponentsField
          choices={[{ id: 'website', name: 'Website' }]}
          noun="incident"
          newRow={{ componentId: '' }}
        />
        <Button type="submit">Save</Button>
      </Form>
    </Formik>,
  );
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const group = screen.getByRole('group', { name: 'Affected Components' });
  await waitFor(() =>
    expect(group).toHaveAccessibleDescription('At least one component is required'),
  );
  await waitFor(() => expect(screen.getByRole('button', { name: 'Add Component' })).toHaveFocus());
});

import { screen, waitFor, within } from '@testing-library/react';
import { Formik } from 'formik';
import { expect, it } from 'vitest';
import { renderScreen } from '@/testing/render';
import { Form } from '@/ui/form';
import { everything, scopeSchema, type ScopeEntry } from './scope';
import { ScopeFields } from './scope-fields';

const entries: ScopeEntry[] = [
  { group: { id: 'eu', name: 'Europe' }, components: [{ id: 'eu-1', name: 'API' }] },
  { group: { id: 'asia', name: 'Asia' }, components: [{ id: 'asia-1', name: 'API' }] },
];

function open() {
  return renderScreen(
    <Formik
      initialValues={{ ...everything, choice: 'chosen' as const }}
      validationSchema={scopeSchema}
      validateOnBlur={false}
      onSubmit={() => undefined}
    >
      <Form>
        <ScopeFields entries={entries} />
        <button type="submit">Save</button>
      </Form>
    </Formik>,
  );
}

it('names the group of each box, also where components have the same name', () => {
  open();
  const group = within(screen.getByRole('group', { name: 'Asia' }));
  expect(group.getByRole('checkbox', { name: 'API' })).toBeInTheDocument();
});

it('moves the focus to the first box, with the error, if no box is checked', async () => {
  const { user } = open();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const first = screen.getByRole('checkbox', { name: 'All of Europe' });
  await waitFor(() => expect(first).toHaveFocus());
  expect(first).toBeInvalid();
  expect(first).toHaveAccessibleDescription('Choose at least one');
  await user.click(first);
  await waitFor(() => expect(first).toBeValid());
  expect(first).not.toHaveAccessibleDescription();
});

import { screen, waitFor } from '@testing-library/react';
import { Formik } from 'formik';
import { renderScreen } from '@/testing/render';
import { Button } from '@/ui/button';
import { Form } from '@/ui/form';
import { expect, it } from 'vitest';
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
  await user.click(screen.getByRole('button', { name: 'Remove component 2' }));
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
  await user.click(screen.getByRole('button', { name: 'Remove Website' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
});

import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Formik } from 'formik';
import { expect, it } from 'vitest';
import { AffectedComponentsField } from './affected-components-field';

it('moves the focus to the group when a removal leaves no component to add', async () => {
  const website = { id: 'website', name: 'Website' };
  render(
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
  await userEvent.click(screen.getByRole('button', { name: 'Remove component 2' }));
  expect(screen.getByRole('button', { name: 'Add Component' })).toBeDisabled();
  expect(screen.getByRole('group', { name: 'Affected Components' })).toHaveFocus();
});

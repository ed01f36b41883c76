import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Formik } from 'formik';
import { expect, it } from 'vitest';
import { NewPasswordField } from './new-password-field';

function renderField(personal: readonly string[] = []) {
  render(
    <Formik initialValues={{ password: '' }} onSubmit={() => undefined}>
      <NewPasswordField name="password" label="Password" personal={personal} />
    </Formik>,
  );
  return { user: userEvent.setup(), field: screen.getByLabelText('Password') };
}

it('shows the strength of the password that is typed, and none without one', async () => {
  const { user, field } = renderField();
  expect(screen.queryByText('Strength of the password:')).not.toBeInTheDocument();
  await user.type(field, '1234567890');
  expect(await screen.findByText('Very weak')).toBeVisible();
  await user.clear(field);
  expect(screen.queryByText('Very weak')).not.toBeInTheDocument();
  await user.type(field, 'correct horse battery staple of mine');
  expect(await screen.findByText('Strong')).toBeVisible();
});

it('counts the name and the address of the person as easy to guess', async () => {
  const name = 'Wilhelmina Quackenbush';
  const { user, field } = renderField([name]);
  await user.type(field, name);
  expect(await screen.findByText('Very weak')).toBeVisible();
});

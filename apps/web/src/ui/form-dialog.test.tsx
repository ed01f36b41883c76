import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useFormikContext } from 'formik';
import { expect, it } from 'vitest';
import { object } from 'yup';
import { Button } from './button';
import { FormDialog } from './form-dialog';
import { Input } from './input';

function Name() {
  const { getFieldProps } = useFormikContext();
  return <Input aria-label="Name" {...getFieldProps('name')} />;
}

function editing(values: { name: string } | undefined, open = true) {
  return (
    <>
      <Button>Edit</Button>
      <FormDialog
        open={open}
        onOpenChange={() => undefined}
        title="Edit Service"
        initialValues={values}
        validationSchema={object({})}
        onSubmit={() => undefined}
        submitLabel="Save"
        pendingLabel="Saving..."
      >
        <Name />
      </FormDialog>
    </>
  );
}

/** Opens the dialog, whose form is still loading. */
function openLoading() {
  const rendered = render(editing(undefined, false));
  screen.getByRole('button', { name: 'Edit' }).focus();
  rendered.rerender(editing(undefined));
  return rendered;
}

it('has the focus on its content while it loads, and on the first field afterwards', async () => {
  const { rerender } = openLoading();
  expect(document.activeElement).toHaveTextContent('Loading...');
  rerender(editing({ name: 'API' }));
  expect(screen.getByRole('textbox', { name: 'Name' })).toHaveFocus();
  rerender(editing({ name: 'API' }, false));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Edit' })).toHaveFocus());
});

it('leaves the focus where the user has moved it while it loaded', async () => {
  const { rerender } = openLoading();
  await userEvent.tab();
  rerender(editing({ name: 'API' }));
  expect(screen.getByRole('button', { name: 'Close' })).toHaveFocus();
});

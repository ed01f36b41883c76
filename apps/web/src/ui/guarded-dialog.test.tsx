import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Formik } from 'formik';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { Button } from './button';
import { FormProgress } from './form-progress';
import { GuardedDialog } from './guarded-dialog';
import { Input } from './input';

function Naming() {
  const [open, setOpen] = useState(false);
  return (
    <main tabIndex={-1}>
      <Button onClick={() => setOpen(true)}>Rename</Button>
      <GuardedDialog open={open} onOpenChange={setOpen} title="Name">
        <Formik initialValues={{ name: '' }} onSubmit={() => undefined}>
          {({ getFieldProps }) => (
            <>
              <FormProgress />
              <Input aria-label="Name" {...getFieldProps('name')} />
            </>
          )}
        </Formik>
      </GuardedDialog>
    </main>
  );
}

it('gives the focus back to its opener after typed text is discarded', async () => {
  render(<Naming />);
  await userEvent.click(screen.getByRole('button', { name: 'Rename' }));
  await userEvent.type(screen.getByRole('textbox', { name: 'Name' }), 'Ada');
  await userEvent.keyboard('{Escape}');
  await userEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  await waitFor(() => expect(screen.getByRole('button', { name: 'Rename' })).toHaveFocus());
});

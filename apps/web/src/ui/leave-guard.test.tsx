import { screen } from '@testing-library/react';
import { Formik } from 'formik';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { expect, it } from 'vitest';
import { renderRoutes, renderScreen } from '@/testing/render';
import { Button } from './button';
import { Form } from './form';
import { FormLeaveGuard } from './form-leave-guard';
import { FormProgress, GuardedDialog } from './guarded-dialog';
import { Input } from './input';
import { useBeforeUnload } from './use-before-unload';

function Typing() {
  const [dirty, setDirty] = useState(false);
  useBeforeUnload(dirty);
  return (
    <>
      <button onClick={() => setDirty(true)}>Type</button>
      <Link to="/elsewhere">Elsewhere</Link>
    </>
  );
}

const routes = [
  { path: '/', element: <Typing /> },
  { path: '/elsewhere', element: <p>Elsewhere it is</p> },
];

it('leaves a form without changes at once', async () => {
  const { user } = renderRoutes(routes);
  await user.click(screen.getByRole('link', { name: 'Elsewhere' }));
  expect(await screen.findByText('Elsewhere it is')).toBeInTheDocument();
});

it('asks before it discards typed text, and does what the user chooses', async () => {
  const { user } = renderRoutes(routes);
  await user.click(screen.getByRole('button', { name: 'Type' }));
  await user.click(screen.getByRole('link', { name: 'Elsewhere' }));
  expect(
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' }),
  ).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Stay' }));
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Elsewhere' })).toBeInTheDocument();

  await user.click(screen.getByRole('link', { name: 'Elsewhere' }));
  await user.click(await screen.findByRole('button', { name: 'Leave' }));
  expect(await screen.findByText('Elsewhere it is')).toBeInTheDocument();
});

it('asks before the tab is closed, only while there is something to lose', async () => {
  const { user } = renderRoutes(routes);
  expect(asksBeforeClosing()).toBe(false);
  await user.click(screen.getByRole('button', { name: 'Type' }));
  expect(asksBeforeClosing()).toBe(true);
});

it.each([
  [
    'part of a screen',
    <Naming>
      <FormLeaveGuard />
    </Naming>,
  ],
  [
    'dialog',
    <GuardedDialog open onOpenChange={() => undefined} title="Naming">
      <Naming>
        <FormProgress />
      </Naming>
    </GuardedDialog>,
  ],
])('asks before the tab is closed while a form is being saved: %s', async (_, ui) => {
  const { user } = renderScreen(ui);
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Ada');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Saving...');
  expect(asksBeforeClosing()).toBe(true);
});

/** A form whose save does not end. */
function Naming({ children }: { children: ReactNode }) {
  return (
    <Formik initialValues={{ name: '' }} onSubmit={() => new Promise(() => undefined)}>
      {({ isSubmitting, getFieldProps }) => (
        <Form>
          {children}
          <Input aria-label="Name" {...getFieldProps('name')} />
          <Button type="submit">{isSubmitting ? 'Saving...' : 'Save'}</Button>
        </Form>
      )}
    </Formik>
  );
}

function asksBeforeClosing(): boolean {
  const event = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
}

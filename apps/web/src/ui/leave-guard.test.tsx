import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Formik } from 'formik';
import { useState, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { expect, it, vi } from 'vitest';
import { renderRoutes, renderScreen } from '@/testing/render';
import { Button } from './button';
import { Form } from './form';
import { FormLeaveGuard } from './form-leave-guard';
import { FormProgress } from './form-progress';
import { GuardedDialog } from './guarded-dialog';
import { Input } from './input';
import { useConfirmLeave } from './use-confirm-leave';
import { useUnsavedChanges } from './unsaved-changes';
import { useSecretGuard } from './use-secret-guard';

function Typing() {
  const [dirty, setDirty] = useState(false);
  useUnsavedChanges(dirty);
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

/** A form with Cancel beside another form. Both have typed text. */
function Cancelling() {
  const [otherDirty, setOtherDirty] = useState(true);
  useUnsavedChanges(otherDirty);
  const leave = useUnsavedChanges(true);
  const navigate = useNavigate();
  return (
    <>
      <button onClick={() => leave(() => void navigate('/elsewhere'))}>Cancel</button>
      <button onClick={() => setOtherDirty(false)}>Save the other</button>
    </>
  );
}

it('asks about a form again after Cancel, when the user stays for another form', async () => {
  const { user } = renderRoutes([{ path: '/', element: <Cancelling /> }, ...routes.slice(1)]);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await user.click(await screen.findByRole('button', { name: 'Stay' }));
  await user.click(screen.getByRole('button', { name: 'Save the other' }));
  expect(asksBeforeClosing()).toBe(true);
});

function Secret() {
  useSecretGuard(false);
  return 'whsec_1';
}

it.each([
  [
    'in a dialog',
    <GuardedDialog open onOpenChange={() => undefined} title="Secret of the Webhook">
      <Secret />
    </GuardedDialog>,
  ],
  [
    'in a dialog that cannot be closed',
    <GuardedDialog open title="Secret of the Webhook">
      <Secret />
    </GuardedDialog>,
  ],
  ['on a page', <Secret />],
])('asks about a secret that is not copied yet, %s', async (_, element) => {
  const { router } = renderRoutes([{ path: '/', element }, ...routes.slice(1)]);
  await act(() => router.navigate('/elsewhere'));
  const question = await screen.findByRole('alertdialog', { name: 'Leave without a copy?' });
  expect(question).toHaveAccessibleDescription(
    'You have not copied what is shown. It is not shown again.',
  );
});

interface SavingProps {
  save: Promise<void>;
  isRefused: boolean;
  onSignOut: () => void;
}

/** A form that stays on its screen after a save. */
function Saving({ save, isRefused, onSignOut }: SavingProps) {
  const [dirty, setDirty] = useState(true);
  const [isSaving, setSaving] = useState(false);
  useUnsavedChanges(dirty, isSaving);
  const { leave, question } = useConfirmLeave();
  async function submit() {
    setSaving(true);
    await save;
    setSaving(false);
    setDirty(isRefused);
  }
  return (
    <>
      <button onClick={() => void submit()}>Save</button>
      <Link to="/elsewhere">Elsewhere</Link>
      <button onClick={() => leave(onSignOut)}>Sign out</button>
      {question}
    </>
  );
}

/**
 * Saves the form, and asks to leave it before the save ends. Returns the function that ends
 * the save.
 */
async function leaveWhileSaving(by: 'Elsewhere' | 'Sign out', isRefused = false) {
  let finish: () => void = () => undefined;
  const save = new Promise<void>((resolve) => (finish = resolve));
  const onSignOut = vi.fn();
  const { user } = renderRoutes([
    { path: '/', element: <Saving save={save} isRefused={isRefused} onSignOut={onSignOut} /> },
    { path: '/elsewhere', element: <p>Elsewhere it is</p> },
  ]);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await user.click(screen.getByText(by));
  const question = await screen.findByRole('alertdialog', {
    name: 'Leave while it is being saved?',
  });
  expect(question).toHaveAccessibleDescription('You will not see whether it succeeds.');
  return { finish, onSignOut };
}

it('goes on with a navigation when the save ends before the user decides', async () => {
  const { finish } = await leaveWhileSaving('Elsewhere');
  finish();
  expect(await screen.findByText('Elsewhere it is')).toBeInTheDocument();
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
});

it('goes on with a sign-out when the save ends before the user decides', async () => {
  const { finish, onSignOut } = await leaveWhileSaving('Sign out');
  finish();
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(onSignOut).toHaveBeenCalledTimes(1);
});

it('signs out once when the save ends after the confirmation', async () => {
  const { finish, onSignOut } = await leaveWhileSaving('Sign out');
  onSignOut.mockImplementation(finish);
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(onSignOut).toHaveBeenCalledTimes(1);
});

it.each(['Elsewhere', 'Sign out'] as const)(
  'asks about the typed text when the save fails before the user decides: %s',
  async (by) => {
    const { finish } = await leaveWhileSaving(by, true);
    finish();
    const question = await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    expect(question).toHaveAccessibleDescription('Your changes will be lost.');
  },
);

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

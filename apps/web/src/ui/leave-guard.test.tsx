import { screen } from '@testing-library/react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { expect, it } from 'vitest';
import { renderRoutes } from '@/testing/render';
import { useBeforeUnload } from './use-before-unload';

function Form() {
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
  { path: '/', element: <Form /> },
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
  const closing = () => {
    const event = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(closing()).toBe(false);
  await user.click(screen.getByRole('button', { name: 'Type' }));
  expect(closing()).toBe(true);
});

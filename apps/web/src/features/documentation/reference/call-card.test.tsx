import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Call } from '@build/api-reference';
import { CallCard } from './call-card';

const call: Call = {
  id: 'create',
  method: 'POST',
  path: '/keys',
  summary: 'Creates a key.',
  credential: null,
  parameters: [],
  body: [],
  responses: [],
  failures: [],
};

it.each(['token', 'session'] as const)('says that a call needs a %s', (credential) => {
  render(<CallCard call={{ ...call, credential }} />);
  expect(screen.getByText(`Needs a ${credential}`)).toBeInTheDocument();
});

it('says nothing about a call that needs no credential', () => {
  render(<CallCard call={call} />);
  expect(screen.getByText('/keys')).toBeInTheDocument();
  expect(screen.queryByText(/^Needs/)).toBeNull();
});

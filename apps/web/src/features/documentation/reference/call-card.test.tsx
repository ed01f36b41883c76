import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Call } from '@build/api-reference';
import { CallCard } from './call-card';

const call: Call = {
  id: 'create',
  method: 'POST',
  path: '/keys',
  summary: 'Creates a key.',
  description: 'It is not shown again.',
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

it('has the description in the opened card', () => {
  render(<CallCard call={call} />);
  const description = screen.getByText('It is not shown again.');
  expect(description.closest('summary')).toBeNull();
  expect(screen.getByText('Creates a key.').closest('summary')).not.toBeNull();
});

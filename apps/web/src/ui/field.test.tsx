import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Field } from './field';
import { Input } from './input';
import { Textarea } from './textarea';

it('ties label, description and error to the control', () => {
  render(
    <Field label="Name" description="What visitors see" error="Name is required" required>
      {(control) => <Input {...control} />}
    </Field>,
  );
  const input = screen.getByRole('textbox', { name: /^Name/ });
  expect(input).toBeRequired();
  expect(screen.getByText('*')).toBeVisible();
  expect(input).toBeInvalid();
  expect(input).toHaveAccessibleDescription('Name is required What visitors see');
  expect(screen.getByRole('alert')).toHaveTextContent('Name is required');
});

it('says nothing of errors while there are none', () => {
  render(<Field label="Name">{(control) => <Input {...control} />}</Field>);
  const input = screen.getByRole('textbox', { name: 'Name' });
  expect(input).toBeValid();
  expect(input).not.toHaveAttribute('aria-describedby');
});

it('gives message boxes at least 150 pixels', () => {
  render(<Textarea aria-label="Message" />);
  expect(screen.getByRole('textbox')).toHaveClass('min-h-[150px]');
});

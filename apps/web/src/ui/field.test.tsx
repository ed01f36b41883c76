import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import base from '@/styles/base.css?raw';
import { Checkbox } from './checkbox';
import { Field } from './field';
import { Input } from './input';
import { Radio } from './radio';
import { Textarea } from './textarea';

it('ties label, description and error to the control', () => {
  render(
    <Field label="Name" description="What visitors see" error="Name is required" required>
      {(control) => <Input {...control} />}
    </Field>,
  );
  const input = screen.getByRole('textbox', { name: 'Name' });
  expect(input).toBeRequired();
  expect(input).toBeInvalid();
  expect(input).toHaveAccessibleDescription('Name is required What visitors see');
  expect(screen.getByRole('alert')).toHaveTextContent('Name is required');
});

it('leaves the star of a required field to the style, so that it is no part of the label', () => {
  render(
    <Field label="Name" required>
      {(control) => <Input {...control} />}
    </Field>,
  );
  const label = screen.getByText('Name');
  expect(label).toHaveTextContent(/^Name$/);
  expect(label).toHaveAttribute('data-required', 'true');
  expect(base).toMatch(/\[data-required='true'\]::after \{[^}]*content: '\*' \/ ''/);
});

it('says nothing of errors while there are none', () => {
  render(<Field label="Name">{(control) => <Input {...control} />}</Field>);
  const input = screen.getByRole('textbox', { name: 'Name' });
  expect(input).toBeValid();
  expect(input).not.toHaveAttribute('aria-describedby');
});

it('is no wider than its place, whatever its control', () => {
  render(<Field label="Name">{(control) => <Input {...control} />}</Field>);
  expect(screen.getByRole('textbox').parentElement).toHaveClass('min-w-0');
});

it('takes the direction of prose from its text, and of nothing else', () => {
  render(
    <>
      <Input aria-label="Name" />
      <Textarea aria-label="Message" />
      <Input aria-label="Email" type="email" />
    </>,
  );
  expect(screen.getByRole('textbox', { name: 'Name' })).toHaveAttribute('dir', 'auto');
  expect(screen.getByRole('textbox', { name: 'Message' })).toHaveAttribute('dir', 'auto');
  expect(screen.getByRole('textbox', { name: 'Email' })).not.toHaveAttribute('dir');
});

it('breaks a long label of a checkbox or a radio button in its place', () => {
  const name = 'a'.repeat(200);
  render(
    <>
      <Checkbox label={name} />
      <Radio label={name} />
    </>,
  );
  for (const label of screen.getAllByText(name)) {
    expect(label).toHaveClass('wrap-anywhere');
    expect(label).toHaveAttribute('dir', 'auto');
  }
});

it('gives message boxes at least 150 pixels', () => {
  render(<Textarea aria-label="Message" />);
  expect(screen.getByRole('textbox')).toHaveClass('min-h-[150px]');
});

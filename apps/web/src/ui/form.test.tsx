import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Formik, useFormikContext } from 'formik';
import { expect, it, vi } from 'vitest';
import { ApiError } from '@/api/error';
import type { ComponentStatus } from '@/api/types';
import { Button } from './button';
import { Checkbox } from './checkbox';
import { Field } from './field';
import { Form } from './form';
import { FormFailure, showFailure } from './form-failure';
import { Input } from './input';
import { Radio } from './radio';
import { Select } from './select';
import { Textarea } from './textarea';
import { ToggleGroup } from './toggle-group';
import { componentStatuses, statusOptions } from './statuses';

function Naming() {
  return (
    <Formik
      initialValues={{ first: 'Ada', last: '' }}
      validate={({ last }) => (last === '' ? { last: 'Last name is required' } : {})}
      onSubmit={() => undefined}
    >
      {({ errors, touched, getFieldProps }) => (
        <Form>
          <Field label="First name">
            {(control) => <Input {...control} {...getFieldProps('first')} />}
          </Field>
          <Field label="Last name" error={touched.last && errors.last}>
            {(control) => <Input {...control} {...getFieldProps('last')} />}
          </Field>
          <Button type="submit">Save</Button>
        </Form>
      )}
    </Formik>
  );
}

it('leads to the first field that is wrong', async () => {
  render(<Naming />);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Last name' })).toHaveFocus());
});

it('leads to the choice of a group of radio buttons that is wrong', async () => {
  const options = statusOptions(componentStatuses);
  render(
    <Formik
      initialValues={{ status: 'DEGRADED' }}
      validate={() => ({ status: 'Not now' })}
      onSubmit={() => undefined}
    >
      {({ errors }) => (
        <Form>
          <ToggleGroup
            label="Status"
            name="status"
            options={options}
            value="DEGRADED"
            onChange={() => undefined}
            error={errors.status}
          />
          <Button type="submit">Save</Button>
        </Form>
      )}
    </Formik>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(screen.getByRole('radio', { name: 'Degraded Performance' })).toHaveFocus(),
  );
});

it('keeps its buttons where they are pressed, by leaving the focus in the field', async () => {
  render(<Naming />);
  await userEvent.click(screen.getByRole('textbox', { name: 'Last name' }));
  // False: the press was taken, so that the browser does not move the focus.
  expect(fireEvent.mouseDown(screen.getByRole('button', { name: 'Save' }))).toBe(false);
  expect(fireEvent.mouseDown(screen.getByRole('textbox', { name: 'First name' }))).toBe(true);
});

it.each(['Control', 'Meta'])('is submitted by %s and Enter in a text, once', async (key) => {
  const submit = vi.fn(() => new Promise<void>(() => undefined));
  render(
    <Formik initialValues={{ message: '' }} onSubmit={submit}>
      {({ isSubmitting, getFieldProps }) => (
        <Form>
          <Textarea aria-label="Message" {...getFieldProps('message')} />
          <Button type="submit" pending={isSubmitting}>
            Save
          </Button>
        </Form>
      )}
    </Formik>,
  );
  await userEvent.type(screen.getByRole('textbox'), 'One{Enter}two');
  expect(submit).not.toHaveBeenCalled();
  await userEvent.keyboard(`{${key}>}{Enter}{/${key}}`);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled());
  await userEvent.keyboard(`{${key}>}{Enter}{/${key}}`);
  expect(submit).toHaveBeenCalledTimes(1);
  expect(screen.getByRole('textbox')).toHaveValue('One\ntwo');
});

it.each([
  ['held', { repeat: true }],
  ['a part of the input of a character', { isComposing: true }],
])('does not submit a text by keys that are %s', (_, init) => {
  render(
    <Formik initialValues={{ message: '' }} onSubmit={() => undefined}>
      {({ getFieldProps }) => (
        <Form>
          <Textarea aria-label="Message" {...getFieldProps('message')} />
          <Button type="submit">Save</Button>
        </Form>
      )}
    </Formik>,
  );
  const click = vi.spyOn(screen.getByRole('button', { name: 'Save' }), 'click');
  fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Enter', ctrlKey: true, ...init });
  expect(click).not.toHaveBeenCalled();
});

function EveryControl() {
  const { values, isSubmitting, getFieldProps, setFieldValue } = useFormikContext<Everything>();
  return (
    <Form>
      <Field label="Title">{(control) => <Input {...control} {...getFieldProps('title')} />}</Field>
      <Field label="Message">
        {(control) => <Textarea {...control} {...getFieldProps('message')} />}
      </Field>
      <Field label="Group">
        {(control) => (
          <Select {...control} {...getFieldProps('group')}>
            <option>Europe</option>
            <option>Asia</option>
          </Select>
        )}
      </Field>
      <ToggleGroup
        label="Status"
        name="status"
        options={statusOptions(componentStatuses)}
        value={values.status}
        onChange={(status) => void setFieldValue('status', status)}
      />
      <Checkbox label="Notify" {...getFieldProps('notify')} checked={values.notify} />
      <Radio
        label="Everything"
        checked={values.everything}
        onChange={() => void setFieldValue('everything', true)}
      />
      <Button type="submit" pending={isSubmitting}>
        Save
      </Button>
    </Form>
  );
}

const everything = {
  title: 'Outage',
  message: 'We look.',
  group: 'Europe',
  status: 'OPERATIONAL' as ComponentStatus,
  notify: false,
  everything: false,
};
type Everything = typeof everything;

it('takes no other values while it is being saved, and keeps the focus', async () => {
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  render(
    <Formik initialValues={everything} onSubmit={() => finished}>
      <EveryControl />
    </Formik>,
  );
  const title = screen.getByRole('textbox', { name: 'Title' });
  await userEvent.type(title, '{Enter}');
  const save = screen.getByRole('button', { name: 'Save' });
  await waitFor(() => expect(save).toBeDisabled());
  expect(title).toHaveFocus();
  const change = async () => {
    await userEvent.type(title, '!');
    await userEvent.type(screen.getByRole('textbox', { name: 'Message' }), '!');
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Group' }), 'Asia');
    await userEvent.click(screen.getByRole('radio', { name: 'Major Outage' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Notify' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Everything' }));
  };
  const shown = () => ({
    title: screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' }).value,
    message: screen.getByRole<HTMLInputElement>('textbox', { name: 'Message' }).value,
    group: screen.getByRole<HTMLSelectElement>('combobox', { name: 'Group' }).value,
    status: within(screen.getByRole('radiogroup')).getByRole<HTMLInputElement>('radio', {
      checked: true,
    }).value,
    notify: screen.getByRole<HTMLInputElement>('checkbox', { name: 'Notify' }).checked,
    everything: screen.getByRole<HTMLInputElement>('radio', { name: 'Everything' }).checked,
  });
  await change();
  expect(shown()).toEqual(everything);
  finish();
  await waitFor(() => expect(save).toBeEnabled());
  await change();
  expect(shown()).toEqual({
    title: 'Outage!',
    message: 'We look.!',
    group: 'Asia',
    status: 'MAJOR_OUTAGE',
    notify: true,
    everything: true,
  });
});

it('scrolls the server’s error into view, each time that it appears', async () => {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
  render(
    <Formik
      initialValues={{}}
      onSubmit={(_, { setStatus }) => {
        setStatus(new ApiError(503, 'The database is not available'));
        return Promise.resolve();
      }}
    >
      <Form>
        <FormFailure />
        <Button type="submit">Save</Button>
      </Form>
    </Formik>,
  );
  for (const times of [1, 2]) {
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(scroll).toHaveBeenCalledTimes(times));
    expect(scroll.mock.contexts.at(-1)).toContainElement(screen.getByRole('alert'));
  }
  expect(scroll).toHaveBeenLastCalledWith({ block: 'nearest' });
});

it('shows the server’s error about a field that the form does not have', async () => {
  const errors = [{ field: 'notify', message: 'The incident is in the past' }];
  render(
    <Formik
      initialValues={{ title: '' }}
      onSubmit={(_, form) => {
        showFailure(form, new ApiError(422, 'Some fields are not right', errors), 'Not saved');
        return Promise.resolve();
      }}
    >
      <Form>
        <FormFailure />
        <Button type="submit">Save</Button>
      </Form>
    </Formik>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The incident is in the past');
});

it('hides the server’s error once a value changes or another submission begins', async () => {
  render(
    <Formik
      initialValues={{ title: 'Outage' }}
      validate={({ title }) => (title === '' ? { title: 'Title is required' } : {})}
      onSubmit={(_, form) => {
        showFailure(form, new ApiError(503, 'The database is not available'), 'Not saved');
        return Promise.resolve();
      }}
    >
      {({ getFieldProps, setFieldTouched }) => (
        <Form>
          <Input aria-label="Title" {...getFieldProps('title')} />
          <FormFailure />
          <Button onClick={() => void setFieldTouched('title')}>Touch</Button>
          <Button type="submit">Save</Button>
        </Form>
      )}
    </Formik>,
  );
  const save = screen.getByRole('button', { name: 'Save' });
  await userEvent.click(save);
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is not available');
  await userEvent.click(screen.getByRole('button', { name: 'Touch' }));
  expect(screen.getByRole('alert')).toBeVisible();
  await userEvent.clear(screen.getByRole('textbox', { name: 'Title' }));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  await userEvent.click(save);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

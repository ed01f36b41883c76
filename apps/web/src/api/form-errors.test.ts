import { expect, it } from 'vitest';
import { ApiError } from './error';
import { formErrors, reasonOutsideFields } from './form-errors';

it('puts the server’s field errors where formik looks for them', () => {
  const error = new ApiError(422, 'Some fields are wrong', [
    { field: 'title', message: 'Title is required' },
    { field: 'components[1].componentId', message: 'Component is required' },
  ]);
  expect(formErrors(error)).toEqual({
    title: 'Title is required',
    components: [undefined, { componentId: 'Component is required' }],
  });
});

it('finds no field errors in any other failure', () => {
  expect(formErrors(new Error('boom'))).toEqual({});
  expect(formErrors(ApiError.unreachable())).toEqual({});
});

it.each([
  ['a field of the form', ['title'], null],
  ['a field of a part of the form', ['components[1].componentId'], null],
  ['a field that the form does not have', ['notify'], 'notify is wrong'],
  ['several of them', ['title', 'notify', 'status'], 'notify is wrong; status is wrong'],
  ['no field', [], 'Some fields are wrong'],
])('says outside the fields why %s was refused, if no field does', (_, fields, reason) => {
  const errors = fields.map((field) => ({ field, message: `${field} is wrong` }));
  const error = new ApiError(422, 'Some fields are wrong', errors);
  const values = { title: '', components: [] };
  expect(reasonOutsideFields(error, values, ({ message }) => message)).toBe(reason);
});

import { expect, it } from 'vitest';
import { ApiError } from './error';
import { formErrors } from './form-errors';

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

import { expect, it, vi } from 'vitest';
import { ApiError } from '@/api/error';
import { removeRows } from './remove-rows';

const gone = (...indices: number[]) =>
  new ApiError(
    422,
    'Some fields are wrong',
    indices.map((index) => ({ field: `ids[${index}]`, message: 'This update does not exist' })),
  );

it('leaves out what another user has removed first', async () => {
  const send = vi.fn().mockRejectedValueOnce(gone(0, 2)).mockResolvedValueOnce({});
  await removeRows(['a', 'b', 'c'], send);
  expect(send.mock.calls).toEqual([[['a', 'b', 'c']], [['b']]]);
});

it('has nothing to do if another user has removed all', async () => {
  const send = vi.fn().mockRejectedValueOnce(gone(0));
  await removeRows(['a'], send);
  expect(send).toHaveBeenCalledTimes(1);
});

it.each([
  new ApiError(409, 'The only update stays'),
  new ApiError(422, 'Some fields are wrong', [{ field: 'ids', message: 'Choose one' }]),
])('fails for another reason: %s', async (failure) => {
  const send = vi.fn().mockRejectedValue(failure);
  await expect(removeRows(['a', 'b'], send)).rejects.toBe(failure);
  expect(send).toHaveBeenCalledTimes(1);
});

it('tries a second time only', async () => {
  const send = vi.fn().mockRejectedValue(gone(0));
  await expect(removeRows(['a', 'b', 'c'], send)).rejects.toThrow('Some fields are wrong');
  expect(send).toHaveBeenCalledTimes(2);
});

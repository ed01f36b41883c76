import { expect, it, vi } from 'vitest';
import { ApiError } from '@/api/error';
import { PasskeyError } from '@/auth/built-in/passkey/authenticator';
import { failureText } from './failure-text';

it('returns the message of a failure that is made for people', () => {
  expect(failureText(new ApiError(503, 'Unavailable'))).toBe('Unavailable');
  expect(failureText(new PasskeyError('No passkey was used.'))).toBe('No passkey was used.');
});

it.each([
  [1, 'Too many attempts. Try again in 1 second.'],
  [90, 'Too many attempts. Try again in 2 minutes.'],
  [3600, 'Too many attempts. Try again in 1 hour.'],
])('says how long to wait: %i seconds', (seconds, text) => {
  expect(failureText(new ApiError(429, 'Slow down', [], seconds))).toBe(text);
});

it('returns a general sentence for an unknown error, which it logs', () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const error = new TypeError('undefined is not a function');
  expect(failureText(error)).toBe('Something went wrong. Try again.');
  expect(log).toHaveBeenCalledWith(error);
});

import { expect, it } from 'vitest';
import { withoutFactors } from './without-factors';

const okta = { id: 'okta', name: 'Okta' };
const entra = { id: 'entra', name: 'Entra' };

it.each([
  [{ password: true, providers: [okta] }, 'Your password alone is enough to sign in then.'],
  [{ password: false, providers: [okta, entra] }, 'You sign in with Okta or Entra only then.'],
  [
    { password: false, providers: [] },
    'You have no password and no other way to sign in then. Set a password first.',
  ],
])('says what is left without factors: %o', (ways, expected) => {
  expect(withoutFactors(ways)).toBe(expected);
});

import { expect, it } from 'vitest';
import { endpoints, paths } from './paths';

it('writes identifiers into addresses without letting them change the path', () => {
  expect(paths.components.edit('a/b')).toBe('/components/component/edit/a%2Fb');
  expect(endpoints.incidents.update('i 1', '../x')).toBe('/incident/i%201/updates/..%2Fx');
});

import openapi from '@docs/openapi.json?raw';
import { expect, it } from 'vitest';
import { permissions } from './permissions';

interface Document {
  components: { schemas: { Role: { enum: string[]; 'x-permissions': unknown } } };
}

it('has the permissions of the server’s table', () => {
  const { Role } = (JSON.parse(openapi) as Document).components.schemas;
  expect(permissions).toEqual(Role['x-permissions']);
  expect(Object.keys(permissions).sort()).toEqual([...Role.enum].sort());
});

import { describe, expect, it } from 'vitest';
import { describeApi } from './api-reference.ts';

const keyOf = (name: string) => ({ type: 'string', description: `The ${name}.` });

/** Returns the only call of a document. */
function callOf(operation: object) {
  const document = {
    paths: { '/keys': { post: { operationId: 'create', responses: {}, ...operation } } },
    components: {
      parameters: { Key: { name: 'Key', in: 'header', schema: { type: 'string' } } },
      schemas: {
        Key: { type: 'object', required: ['id'], properties: { id: keyOf('id') } },
        Role: { type: 'string', enum: ['viewer', 'editor'] },
        NewKey: {
          description: 'A new key.',
          allOf: [
            { $ref: '#/components/schemas/Key' },
            {
              type: 'object',
              required: ['text'],
              properties: {
                text: keyOf('text'),
                role: { allOf: [{ $ref: '#/components/schemas/Role' }] },
              },
            },
          ],
        },
      },
    },
  };
  const call = describeApi(JSON.stringify(document)).groups[0]?.calls[0];
  if (!call) throw new Error('There is no call');
  return call;
}

const schema = (value: object) => ({ content: { 'application/json': { schema: value } } });

describe('an `allOf`', () => {
  const reference = { $ref: '#/components/schemas/NewKey' };

  it('has the fields of all its members', () => {
    const { body } = callOf({ requestBody: schema(reference) });
    expect(body.map(({ name, type, isRequired }) => ({ name, type, isRequired }))).toEqual([
      { name: 'id', type: 'string', isRequired: true },
      { name: 'text', type: 'string', isRequired: true },
      { name: 'role', type: 'viewer | editor', isRequired: false },
    ]);
  });

  it('has them in `data` too', () => {
    const data = { type: 'object', properties: { data: reference } };
    const { responses } = callOf({ responses: { 201: schema(data) } });
    expect(responses[0]?.fields.map(({ name }) => name)).toEqual(['id', 'text', 'role']);
  });

  it('requires what a member without fields requires', () => {
    const all = [{ $ref: '#/components/schemas/NewKey' }, { required: ['role'] }];
    const { body } = callOf({ requestBody: schema({ allOf: all }) });
    expect(body.find(({ name }) => name === 'role')?.isRequired).toBe(true);
  });
});

it.each([
  { security: undefined, credential: null },
  { security: [], credential: null },
  { security: [{ bearer: ['editor'] }, { apiKey: ['editor'] }], credential: 'token' },
  { security: [{ session: [] }], credential: 'session' },
])('needs $credential with the requirements $security', ({ security, credential }) => {
  expect(callOf({ security }).credential).toBe(credential);
});

it('has the shared parameters that a call names', () => {
  const { parameters } = callOf({ parameters: [{ $ref: '#/components/parameters/Key' }] });
  expect(parameters.map(({ name, type }) => ({ name, type }))).toEqual([
    { name: 'Key', type: 'string · header' },
  ]);
});

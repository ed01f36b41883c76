/** The reference of the API, from the OpenAPI document. */
export interface ApiReference {
  groups: Group[];
  /** Responses that endpoints share, by status. */
  failures: DocumentedResponse[];
}

export interface Group {
  /** As the path of the calls names it. */
  name: string;
  calls: Call[];
}

export interface Call {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** What else is to be known; empty if nothing is. */
  description: string;
  /** What the request needs: a bearer token or the session cookie. */
  credential: 'token' | 'session' | null;
  parameters: Field[];
  body: Field[];
  responses: DocumentedResponse[];
  /** Statuses of its failures. */
  failures: string[];
}

export interface DocumentedResponse {
  status: string;
  description: string;
  /** Fields of `data`, or of the body without `data`. */
  fields: Field[];
}

export interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
  /** Fields of an object, or of the objects in a list. */
  fields: Field[];
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema?: Schema;
}

interface Reference {
  $ref: string;
}

interface Content {
  description?: string;
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  tags?: string[];
  operationId: string;
  summary?: string;
  description?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: Content;
  responses: Record<string, Content>;
  /** Alternatives, by the names of the security schemes. */
  security?: Record<string, string[]>[];
}

interface Components {
  schemas: Record<string, Schema>;
  parameters?: Record<string, Parameter>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: Components;
}

const deepest = 4;

export function describeApi(text: string): ApiReference {
  const document = JSON.parse(text) as Document;
  const reader = new Reader(document.components);
  const groups = new Map<string, Call[]>();
  const failures = new Map<string, DocumentedResponse>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = operation.tags?.[0] ?? 'other';
      groups.set(name, [...(groups.get(name) ?? []), reader.call(method, path, operation)]);
      for (const [status, { description = '' }] of failuresOf(operation)) {
        if (!failures.has(status)) failures.set(status, { status, description, fields: [] });
      }
    }
  }
  return {
    groups: [...groups].map(([name, calls]) => ({ name, calls })),
    failures: [...failures.values()].sort((one, other) => one.status.localeCompare(other.status)),
  };
}

function failuresOf({ responses }: Operation): [string, Content][] {
  return Object.entries(responses).filter(([status]) => status >= '400');
}

function credentialOf({ security = [] }: Operation): Call['credential'] {
  if (security.length === 0) return null;
  return security.some((alternative) => 'session' in alternative) ? 'session' : 'token';
}

/** The name of the component that a reference names. */
function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

class Reader {
  readonly #components: Components;

  constructor(components: Components) {
    this.#components = components;
  }

  call(method: string, path: string, operation: Operation): Call {
    const succeeding = Object.entries(operation.responses).filter(([status]) => status < '400');
    return {
      id: operation.operationId.replaceAll('_', '-'),
      method: method.toUpperCase(),
      path,
      summary: sentences(operation.summary),
      description: sentences(operation.description),
      credential: credentialOf(operation),
      parameters: (operation.parameters ?? []).map((each) => this.#parameter(this.#shared(each))),
      body: this.#fieldsOf(schemaOf(operation.requestBody), 0),
      responses: succeeding.map(([status, response]) => this.#response(status, response)),
      failures: failuresOf(operation).map(([status]) => status),
    };
  }

  /** The parameter, or the shared one that is named. */
  #shared(parameter: Parameter | Reference): Parameter {
    if (!('$ref' in parameter)) return parameter;
    const found = this.#components.parameters?.[nameOf(parameter.$ref)];
    if (found === undefined) throw new Error(`${parameter.$ref} is not in the document`);
    return found;
  }

  #parameter({ name, in: place, description, required = false, schema = {} }: Parameter): Field {
    return {
      name,
      type: `${this.#typeOf(schema)} · ${place}`,
      isRequired: required,
      description: sentences(description),
      fields: [],
    };
  }

  #response(status: string, response: Content): DocumentedResponse {
    const whole = this.#resolve(schemaOf(response) ?? {});
    const data = whole.properties?.data;
    return {
      status,
      description: sentences(response.description),
      fields: this.#fieldsOf(data ?? whole, 0),
    };
  }

  #resolve(schema: Schema): Schema {
    const { $ref, allOf, ...own } = schema;
    if ($ref) return { ...this.#named($ref), ...own };
    if (allOf) return [...allOf.map((member) => this.#resolve(member)), own].reduce(combine);
    const first = schema.oneOf?.find(({ type }) => type !== 'null');
    return first ? { ...this.#resolve(first), ...own } : schema;
  }

  #named(reference: string): Schema {
    return this.#resolve(this.#components.schemas[nameOf(reference)] ?? {});
  }

  #fieldsOf(schema: Schema | undefined, depth: number): Field[] {
    if (schema === undefined || depth >= deepest) return [];
    const whole = this.#resolve(schema);
    if (whole.items) return this.#fieldsOf(whole.items, depth);
    const required = new Set(whole.required);
    return Object.entries(whole.properties ?? {}).map(([name, property]) => ({
      name,
      type: this.#typeOf(property),
      isRequired: required.has(name),
      description: sentences(this.#resolve(property).description),
      fields: this.#fieldsOf(property, depth + 1),
    }));
  }

  #typeOf(schema: Schema): string {
    const whole = this.#resolve(schema);
    const canBeNull = [schema, whole].some(
      ({ type, oneOf }) => type?.includes('null') ?? oneOf?.some((one) => one.type === 'null'),
    );
    return this.#plainTypeOf(whole) + (canBeNull ? ' or null' : '');
  }

  #plainTypeOf({ type, format, enum: words, items, properties }: Schema): string {
    if (words) return words.map(String).join(' | ');
    if (items) return `list of ${this.#typeOf(items)}`;
    if (properties) return 'object';
    const plain = [type ?? 'any'].flat().filter((each) => each !== 'null');
    return format && !/^(u?int|double|float)/.test(format) ? format : plain.join(' or ');
  }
}

/** Combines two members of an `allOf`. */
function combine(one: Schema, other: Schema): Schema {
  return {
    ...one,
    ...other,
    ...(other.properties && { properties: { ...one.properties, ...other.properties } }),
    required: [...(one.required ?? []), ...(other.required ?? [])],
  };
}

function schemaOf(content: Content | undefined): Schema | undefined {
  return Object.values(content?.content ?? {})[0]?.schema;
}

function sentences(text = ''): string {
  return text.replace(/\s+/g, ' ').trim();
}

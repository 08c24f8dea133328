import { expect } from 'chai';
import {
  type Answer,
  type Api,
  type DocumentedParameter,
  sharedAdminWorld,
  exampleCalls,
  operationsOf,
} from '../../../support/admin-api/admin.ts';
import { isNight, someByDay } from '../../../support/nightly.ts';

describe('parameters of the admin API', () => {
  const world = sharedAdminWorld();

  const some = (api: Api) => someByDay(operationsOf(api), 1 / 3, ({ query }) => query.length > 0);

  it('that an operation does not have are rejected by name, with the list of valid names', async () => {
    const { api } = world;
    const operations = operationsOf(api);
    for (const { id, method, path, body } of someByDay(exampleCalls(api), 1 / 3)) {
      const answer = await api.call(method, `${path}?limit=7&limmit=7&__proto__=1`, { body });
      const declared = operations.find(({ operationId }) => operationId === id)?.query ?? [];
      const names = declared.map(({ name }) => name);
      const known = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
      expect(answer.body, id).to.include({ name: 'ValidationError' });
      expect(detailsOf(answer), id).to.deep.include.members([
        { path: '/limmit', message: `is unknown; ${known}` },
        { path: '/__proto__', message: `is unknown; ${known}` },
      ]);
    }
  });

  it('that violate the schema of the document are rejected, with the place and the reason', async () => {
    const { api } = world;
    let tried = 0;
    for (const { method, path, query, body } of some(api)) {
      for (const parameter of query) {
        for (const value of forbiddenBy(parameter)) {
          const search = `${parameter.name}=${encodeURIComponent(value)}`;
          const answer = await api.call(method.toUpperCase(), `${path}?${search}`, { body });
          expect(answer.status, `${path} ${parameter.name} ${value}`).to.equal(400);
          const places = new Set(detailsOf(answer).map((detail) => detail.path));
          expect([...places]).to.deep.equal([`/${parameter.name}`]);
          tried += 1;
        }
      }
    }
    expect(tried).to.be.greaterThan(isNight() ? 100 : 20);
  });

  it('are accepted at the borders of the schema, at its defaults, and empty', async () => {
    const { api } = world;
    for (const { method, path, query, body } of some(api)) {
      const values = query.map((parameter) => [...allowedBy(parameter), '']);
      const rounds = Math.max(...values.map(({ length }) => length), 0);
      for (let round = 0; round < rounds; round += 1) {
        const search = query
          .map(({ name }, index) => `${name}=${encodeURIComponent(values[index]?.[round] ?? '')}`)
          .join('&');
        const { status } = await api.call(method.toUpperCase(), `${path}?${search}`, { body });
        // The feature or project in the path causes the 404, and a second try to create a project the 409.
        expect(status, `${method} ${path} ${search}`).to.be.oneOf([200, 201, 404, 409]);
      }
    }
  });

  it('may occur once', async () => {
    const answer = await world.api.get('/api/admin/events?project=a&project=b');
    expect(detailsOf(answer)).to.deep.equal([{ path: '/project', message: 'may be given once' }]);
  });

  it('in paths have a schema too, and get 404 if they violate it', async () => {
    const { api } = world;
    const calls = operationsOf(api).filter(({ parameters }) => parameters.length > 0);
    let tried = 0;
    for (const { template, method, parameters, body } of someByDay(calls, 1 / 3)) {
      for (const { name, schema } of parameters) {
        if (schema.pattern === undefined && schema.format === undefined) continue;
        const path = template.replace(`{${name}}`, '%00').replaceAll(/\{\w+\}/g, '1');
        const answer = await api.call(method.toUpperCase(), path, { body });
        expect(answer.body, `${method} ${path}`).to.include({ name: 'NotFoundError' });
        tried += 1;
      }
    }
    expect(tried).to.be.greaterThan(isNight() ? 30 : 5);
  });
});

function detailsOf({ body }: Answer): { path?: string; message: string }[] {
  return (body as { details?: { path?: string; message: string }[] }).details ?? [];
}

function forbiddenBy({ schema }: DocumentedParameter): string[] {
  const { type, enum: names, minimum, maximum, maxLength, format } = schema;
  return [
    ...(type === 'string' || type === 'array' ? [] : ['x', ' 1', '1 ', '0x1', '1e1', '--1', 'null', '[]']),
    ...(type === 'integer' ? ['1.5', '1.0'] : []),
    ...(names === undefined ? [] : ['x', `${names[0]}x`]),
    ...(minimum === undefined ? [] : [String(minimum - 1)]),
    ...(maximum === undefined ? [] : [String(maximum + 1), '9'.repeat(40)]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(format === 'date-time' ? ['x', '2026-02-30T00:00:00Z', '2026-11-21', '2026-11-21T00:00:00'] : []),
    ...(format === 'time-zone' ? ['x', 'Europe/Atlantis', '+01:00', '../UTC'] : []),
    ...(format === 'date' ? ['x', '2026-02-30', '2026-1-1', '1969-12-31', '2026-11-21T00:00:00Z'] : []),
  ];
}

function allowedBy({ schema }: DocumentedParameter): string[] {
  const { type, enum: names = [], minimum, maximum, format, default: defaultValue } = schema;
  return [
    ...names.slice(0, 1),
    ...names.slice(-1),
    ...(type === 'boolean' ? ['true', 'false'] : []),
    ...(minimum === undefined ? [] : [String(minimum)]),
    ...(maximum === undefined ? [] : [String(maximum)]),
    ...(defaultValue === undefined ? [] : [String(defaultValue)]),
    ...(format === 'date' ? ['2024-02-29'] : []),
    ...(format === 'time-zone' ? ['Asia/Kathmandu', 'Etc/GMT-14'] : []),
  ];
}

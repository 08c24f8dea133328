import { expect } from 'chai';
import { type AdminWorld, createAdminWorld } from '../../support/admin-api/admin.ts';
import { createRecords } from '../../support/attacks/bodies/admin-records.ts';
import { documentedDoors, type OpenApi } from '../../support/attacks/bodies/doors.ts';
import { type Part, partsOf, withValue } from '../../support/attacks/bodies/shapes.ts';

/** As texts, because JSON.stringify writes none of some. */
const NUMBERS = [
  '0',
  '-0',
  '1',
  '-1',
  '2.0',
  '1e1',
  '0.5',
  '1.5',
  '0.1e-5',
  '1e-320',
  '-2.5',
  '1e308',
  '-1e308',
  '1e400',
  '-1e400',
  '2147483647',
  '2147483648',
  '4294967296',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '18446744073709551616',
];
/** Operations take these and store no number: strategies are stored in their order, and the hours become a time. */
const NOT_STORED = [
  'addFeatureStrategy sortOrder',
  'updateFeatureStrategy sortOrder',
  'sortFeatureStrategies 0.sortOrder',
  'rotateApiToken overlapHours',
];
const PLACEHOLDER = 'the number';

describe('a number in a body of the admin API', function () {
  this.timeout(600_000);
  let world: AdminWorld;
  before(async () => {
    world = await createAdminWorld({
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
      MAX_WRITES_PER_DAY: '1000000',
    });
  });
  after(() => world.dispose());

  it('is stored as it was sent, or refused with a 400', async () => {
    const reach = await createRecords(world);
    const document = world.api.document as unknown as OpenApi; // the same, with the schemas
    const wrong: unknown[] = [];
    let stored = 0;
    let before = await readNumbers();
    for (const { operation = '', method, path: template, honest } of documentedDoors(document, 0)) {
      if (!template.startsWith('/api/admin')) continue;
      for (const { path: place } of numbersOf(document, operation, honest))
        for (const text of NUMBERS) {
          const { path, authorization, headers } = await reach(operation);
          const body = JSON.stringify(withValue(unique(honest), place, PLACEHOLDER)).replace(
            `"${PLACEHOLDER}"`,
            text,
          );
          const sent = { ...headers, authorization, 'content-type': 'application/json' };
          const answer = await fetch(`${world.api.url}${path}`, { method, headers: sent, body });
          const message = await answer.text();
          const what = [operation, place.join('.'), text, answer.status, message];
          if (answer.status === 400) continue;
          if (answer.status >= 300) wrong.push(what);
          else if (NOT_STORED.includes(`${operation} ${place.join('.')}`)) continue;
          else {
            const after = await readNumbers();
            const number = Number(text);
            // Many rows have these by default.
            const isStored =
              Math.abs(number) <= 1 && Number.isInteger(number)
                ? after.has(Math.abs(number))
                : (after.get(number) ?? 0) > (before.get(number) ?? 0);
            if (isStored) stored += 1;
            else wrong.push([...what, 'is not stored']);
            before = after;
          }
        }
    }
    expect(wrong.map((one) => JSON.stringify(one)).join('\n')).to.equal('');
    expect(stored).to.be.above(60);
  });

  /** How often each number is in a row, except in the logs of what was sent. */
  async function readNumbers(): Promise<Map<number, number>> {
    const { rows } = await world.db.query<{ text: string }>(
      `select query_to_xml(format('select to_jsonb(t) as row from %I.%I as t', schemaname, tablename), true, true, '')::text as text
       from pg_tables
       where schemaname = current_schema()
         and tablename not in ('events', 'audit_entries', 'notification_causes', 'notification_deliveries')`,
    );
    const counts = new Map<number, number>();
    for (const { text } of rows)
      for (const [found] of text.matchAll(NUMBER))
        counts.set(Number(found), (counts.get(Number(found)) ?? 0) + 1);
    return counts;
  }
});

/** A number of the JSON that Postgres writes. */
const NUMBER = /(?<=: |\[|, )-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[,}\]])/g;

/** The parts of a body that are numbers, and one of a payload that may be any JSON. */
function numbersOf(document: OpenApi, operation: string, honest: unknown): readonly Pick<Part, 'path'>[] {
  const resolve = (ref: string) => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {};
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const content = operations.find(({ operationId }) => operationId === operation)?.requestBody?.content;
  const parts = partsOf(content?.['application/json'].schema ?? {}, honest, resolve);
  const free = parts.filter(({ path, kind }) => kind === 'object' && path.at(-1) === 'payload');
  return [
    ...parts.filter(({ kind }) => kind === 'number'),
    ...free.map(({ path }) => ({ path: [...path, 'any'] })),
  ];
}

let made = 0;

/** The body with a name that no earlier one had, so that something new is made. */
function unique(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  made += 1;
  return 'name' in body && !('parameters' in body) ? { ...body, name: `made-${made}` } : body;
}

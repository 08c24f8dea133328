import { expect } from 'chai';
import { forkAttacked } from '../../support/attacks/canary/canary.ts';
import { type Cost, isTooDear } from '../../support/attacks/bodies/cost.ts';
import { type DocumentedOperation, openApi } from '../../support/admin-api/admin.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { isNight } from '../../support/nightly.ts';
import { createUncountedWorld } from '../../support/uncounted-world.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, type World } from '../../support/world.ts';

/** Node accepts 16 KiB in a target and all headers together. */
const BYTES = 15_000;
/** A measurement may have to collect the garbage of those before it. */
const TRIES = 3;

type Request = {
  readonly what: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
};

describe('a target or a header that a stranger makes as dear as possible', function () {
  this.timeout(300_000);
  let world: World;
  let admin: ServiceProcess;
  let ingest: ServiceProcess;
  let operations: readonly Operation[];
  before(async () => {
    world = await createUncountedWorld();
    admin = await forkAttacked(world, 'admin');
    ingest = await forkAttacked(world, 'ingest', { RATE_LIMIT_PER_MINUTE: '0' });
    operations = operationsOf((await openApi(admin.url)).document.paths);
  });
  after(() => world.dispose());

  it('costs no more than its bytes without a token', async () => {
    const [ofAdmin, others] = [true, false].map((isOfAdmin) =>
      operations.filter(({ path }) => path.startsWith('/api/admin') === isOfAdmin),
    );
    await expectCheap(admin, chosenOf(ofAdmin ?? []).flatMap(targetsOf));
    await expectCheap(ingest, chosenOf(others ?? []).flatMap(targetsOf));
  });

  it('costs no more than its bytes with a token', async () => {
    const reads = operations.filter(({ method }) => method === 'GET');
    const [anyRead] = reads.filter(({ path }) => path === '/api/admin/strategies');
    const [batches] = operations.filter(({ path }) => path === '/edge/metrics');
    if (anyRead === undefined || batches === undefined) throw new Error('a path is not documented');
    const ofAdmin = [...chosenOf(reads).flatMap(targetsOf), ...headersOf(anyRead)];
    await expectCheap(admin, ofAdmin.map(sentWith(ADMIN_TOKEN)));
    await expectCheap(ingest, headersOf(batches).map(sentWith(CLIENT_TOKEN)));
  });
});

/** By day those with the most parameters, at night all. */
function chosenOf(operations: readonly Operation[]): readonly Operation[] {
  const byParameters = operations.toSorted((one, other) => other.parameters.length - one.parameters.length);
  return isNight() ? byParameters : byParameters.slice(0, 3);
}

type Operation = Pick<DocumentedOperation, 'parameters'> & { readonly path: string; readonly method: string };

function operationsOf(paths: Readonly<Record<string, Record<string, DocumentedOperation>>>): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters }]) => ({
      path,
      parameters,
      method: method.toUpperCase(),
    })),
  );
}

/** Every way in which its target may be long. */
function targetsOf({ path, method, parameters }: Operation): Request[] {
  const plain = path.replaceAll(/\{\w+\}/g, 'name');
  const named = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
  const queries = {
    'one name': repeated('a&'),
    'one value': repeated('a=b&'),
    'many names': repeated('a', (index) => `${index}&`),
    escapes: repeated('%C3%A9&'),
    ...Object.fromEntries(named.map((name) => [name, repeated(`${name}=b&`)])),
  };
  const names = path.includes('{') ? [path.replaceAll(/\{\w+\}/g, repeated('%2F'))] : [];
  return [
    ...Object.entries(queries).map(([what, query]) => ({ what, target: `${plain}?${query}` })),
    ...names.map((target) => ({ what: 'long name', target: target.slice(0, BYTES) })),
  ].map(({ what, target }) => ({ what: `${method} ${path}: ${what}`, method, target, headers: {} }));
}

/** The headers that lists, dates, names and secrets come in, and those of tracing and of senders. */
const HEADERS =
  `accept accept-encoding accept-language authorization cookie content-encoding content-type if-match if-none-match origin
  x-forwarded-for x-forwarded-proto traceparent user-agent idempotency-key unleash-appname unleash-connection-id unleash-instanceid
  unleash-interval`.split(/\s+/);
const PARTS = isNight()
  ? ['a', ',', ';', '=', ' a', '"', '\\', 'a;q=0.1,', 'a=b; ', '*:production.', 'Bearer ']
  : ['a,', 'a=b;'];

function headersOf({ path, method }: Operation): Request[] {
  return HEADERS.flatMap((name) =>
    PARTS.map((part) => ({
      what: `${method} ${path}: ${name} of ${part}`,
      method,
      target: path,
      headers: { [name]: repeated(part).trim() },
    })),
  );
}

function repeated(part: string, suffix: (index: number) => string = () => ''): string {
  const length = part.length + suffix(BYTES).length;
  return Array.from({ length: BYTES / length }, (_, index) => part + suffix(index)).join('');
}

function sentWith(authorization: string): (request: Request) => Request {
  return ({ headers, ...request }) => ({ ...request, headers: { authorization, ...headers } });
}

async function expectCheap(service: ServiceProcess, requests: readonly Request[]): Promise<void> {
  const dear: Cost[] = [];
  for (const request of requests) {
    let cost = await costOf(service, request);
    for (let again = 1; again < TRIES && isTooDear(cost); again += 1) cost = await costOf(service, request);
    if (isTooDear(cost) || cost.status === 500) dear.push(cost);
  }
  expect(dear).to.deep.equal([]);
}

async function costOf(service: ServiceProcess, { what, method, target, headers }: Request): Promise<Cost> {
  const before = await service.readUsage();
  service.watchTurns();
  const answer = await fetch(`${service.url}${target}`, { method, headers });
  await answer.arrayBuffer();
  const after = await service.readUsage();
  const [longestTurnMs = 0] = after.longestTurnsMs;
  const cpuMs = after.cpuMs - before.cpuMs;
  return { what, status: answer.status, kilobytes: BYTES / 1000, cpuMs, longestTurnMs };
}

import { expect } from 'chai';
import fc from 'fast-check';
import { type Reaching, createRecords } from '../../support/attacks/bodies/admin-records.ts';
import {
  type Cost,
  createAttack,
  dearAmong,
  emptyBody,
  grownBody,
} from '../../support/attacks/bodies/cost.ts';
import { emptyBlocks, emptyMembers } from '../../support/attacks/bodies/dear-encodings.ts';
import { wrongAmongEncodings } from '../../support/attacks/bodies/encodings.ts';
import { type Door, type OpenApi, documentedDoors, doorsOfOtlp } from '../../support/attacks/bodies/doors.ts';
import type { Growth } from '../../support/attacks/bodies/growths.ts';
import { forkAttacked } from '../../support/attacks/canary/canary.ts';
import { chooseSeed } from '../../support/builders/random.ts';
import { isNight, itNightly, someByDay } from '../../support/nightly.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { createUncountedWorld } from '../../support/uncounted-world.ts';
import { openApi } from '../../support/admin-api/admin.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, type World } from '../../support/world.ts';

const KILOBYTE = 1000;
const LIMIT = 100 * KILOBYTE;
const OTLP_LIMITS = { protobuf: 1000 * KILOBYTE, json: (isNight() ? 1000 : 100) * KILOBYTE };
const MIB = 1024 * 1024;
/** The limit of a service in compose. */
const MAX_PEAK = 512 * MIB;
/** The half of it, as Node chooses by itself within that limit. With more, it collects garbage so rarely that its peak says nothing. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=256' };
/** Compiled code and caches. */
const MAX_LEFT = 25 * MIB;
const RUNS = 5000;
const SEED = chooseSeed();

describe(`a body that a stranger makes as dear as possible (SEED=${SEED})`, function () {
  this.timeout(1_200_000);
  let world: World;
  let ingest: ServiceProcess;
  let admin: ServiceProcess;
  let documented: readonly Door[];
  let reachAdmin: (operation: string) => Promise<Reaching>;
  before(async () => {
    world = await createUncountedWorld({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });
    [ingest, admin] = await Promise.all([
      forkAttacked(world, 'ingest', { ...HEAP, RATE_LIMIT_PER_MINUTE: '0' }),
      forkAttacked(world, 'admin', HEAP),
    ]);
    const api = await openApi(admin.url);
    documented = documentedDoors(api.document as unknown as OpenApi, LIMIT); // the same, with the schemas
    reachAdmin = await createRecords({ ...world, api });
  });
  after(() => world.dispose());

  const doorsOf = (isOfAdmin: boolean): Door[] =>
    documented.filter(({ path }) => path.startsWith('/api/admin') === isOfAdmin);

  it('of OpenTelemetry costs no more than its bytes', async () => {
    await expectCheap(ingest, doorsOfOtlp(OTLP_LIMITS), reachIngest);
  });

  it('of a relay or an SDK costs no more than its bytes', async () => {
    expect(doorsOf(false)).to.have.lengthOf.above(7);
    await expectCheap(ingest, doorsOf(false), reachIngest);
  });

  it('of the admin API costs no more than its bytes', async () => {
    expect(doorsOf(true)).to.have.lengthOf.above(30);
    await expectCheap(admin, doorsOf(true), ({ operation = '' }) => reachAdmin(operation));
  });

  it('without content costs no more than its bytes', async () => {
    const dear: Cost[] = [];
    for (const [service, doors, reach] of [
      [ingest, [...doorsOfOtlp(OTLP_LIMITS), ...doorsOf(false)], reachIngest],
      [admin, doorsOf(true).slice(0, 1), ({ operation = '' }: Door) => reachAdmin(operation)],
    ] as const)
      for (const door of someByDay(doors, 1 / 3, encodingOf)) {
        const attack = createAttack({ service, door, reach: () => reach(door) });
        const bodies = [
          emptyBody('deflate', emptyBlocks(door.maxBytes)),
          emptyBody('gzip', emptyMembers(door.maxBytes)),
        ];
        dear.push(...(await dearAmong(attack, bodies)));
      }
    expect(dear).to.deep.equal([]);
  });

  it('in any encoding is answered alike on all paths, and costs no more than its bytes', async () => {
    const wrong: unknown[] = [];
    for (const [which, service, doors, reach] of [
      ['all', ingest, [...doorsOfOtlp(OTLP_LIMITS), ...doorsOf(false)], reachIngest],
      // What admin takes, changes records that others of these bodies need.
      ['rejected', admin, doorsOf(true), ({ operation = '' }: Door) => reachAdmin(operation)],
    ] as const)
      for (const door of someByDay(doors, 1 / 3, encodingOf)) {
        const attack = createAttack({ service, door, reach: () => reach(door) });
        wrong.push(...(await wrongAmongEncodings(attack, which)));
      }
    expect(wrong).to.deep.equal([]);
    expect((await ingest.readUsage()).peakBytes).to.be.lessThan(MAX_PEAK);
    expect((await admin.readUsage()).peakBytes).to.be.lessThan(MAX_PEAK);
  });

  it('of the admin API reaches its operation', async () => {
    const early: unknown[] = [];
    for (const { operation = '', method, honest, encode, contentType } of doorsOf(true)) {
      const { path, authorization, headers } = await reachAdmin(operation);
      const sent = { ...headers, authorization, 'content-type': contentType };
      const answer = await fetch(`${admin.url}${path}`, { method, headers: sent, body: encode(honest) });
      const text = await answer.text();
      // A name may be taken, and a problem without a place in the body is one that the operation itself has found.
      const isReached = answer.status === 409 || (answer.status === 400 && !text.includes('"details"'));
      if (answer.status >= 400 && !isReached) early.push([operation, answer.status, text]);
    }
    expect(early).to.deep.equal([]);
  });

  itNightly('of any length costs no more than its bytes', async () => {
    const doors = [...doorsOfOtlp(OTLP_LIMITS), ...doorsOf(false)];
    const someBody = fc.record({
      door: fc.constantFrom(...doors),
      growth: fc.nat(),
      share: fc.double({ min: 0.001, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(someBody, async ({ door, growth: nth, share }) => {
        const growth = door.growths[nth % door.growths.length];
        if (growth === undefined) return;
        const attack = createAttack({ service: ingest, door, reach: () => reachIngest(door) });
        const body = grownBody(door, growth, Math.floor(door.maxBytes * share));
        expect(await dearAmong(attack, [body])).to.deep.equal([]);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });
});

type Reach = (door: Door) => Promise<Reaching>;

async function expectCheap(service: ServiceProcess, doors: readonly Door[], reach: Reach): Promise<void> {
  const heldBefore = await service.readHeldMemory();
  const dear: Cost[] = [];
  for (const door of doors) {
    const attack = createAttack({ service, door, reach: () => reach(door) });
    for (const some of inParts(plannedFor(door)))
      dear.push(
        ...(await dearAmong(
          attack,
          some.map(({ growth, bytes }) => grownBody(door, growth, bytes)),
        )),
      );
  }
  expect(dear).to.deep.equal([]);
  expect((await service.readHeldMemory()) - heldBefore).to.be.lessThan(MAX_LEFT);
  expect((await service.readUsage()).peakBytes).to.be.lessThan(MAX_PEAK);
}

function encodingOf({ contentType }: Door): string {
  return contentType;
}

type Planned = { readonly growth: Growth; readonly bytes: number };

/** Sorted by length, because the bodies of one length share their lists. */
function plannedFor(door: Door): Planned[] {
  const usual = door.growths.filter(({ isRare = false }) => !isRare || isNight());
  return someByDay(usual, 1 / 3, ({ isShared }) => isShared)
    .flatMap((growth) => lengthsOf(growth, door).map((bytes) => ({ growth, bytes })))
    .toSorted((one, other) => one.bytes - other.bytes);
}

const MEASURED_TOGETHER = 8;

function* inParts(planned: readonly Planned[]): Generator<readonly Planned[]> {
  for (let from = 0; from < planned.length; from += MEASURED_TOGETHER)
    yield planned.slice(from, from + MEASURED_TOGETHER);
}

/** By day each growth has one length. Only counters, whose keys hold what many share, are also tried with a body of full length. */
function lengthsOf({ isShared = false }: Growth, { path, maxBytes }: Door): number[] {
  if (isNight()) return [KILOBYTE, 10 * KILOBYTE, maxBytes];
  return [path === '/v1/metrics' && isShared ? maxBytes : Math.min(LIMIT, maxBytes)];
}

function reachIngest({ path }: Door): Promise<Reaching> {
  const authorization = path.startsWith('/api/frontend') ? FRONTEND_TOKEN : CLIENT_TOKEN;
  return Promise.resolve({ path, authorization, headers: {} });
}

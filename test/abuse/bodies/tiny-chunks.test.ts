import { expect } from 'chai';
import { type Cost, TRIES, isTooDear } from '../../support/attacks/bodies/cost.ts';
import { forkAttacked } from '../../support/attacks/canary/canary.ts';
import { someByDay } from '../../support/nightly.ts';
import { openRawConnection, rawHead } from '../../support/requests/raw-http.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { CLIENT_TOKEN } from '../../support/world.ts';

const BYTES = 100_000;
const PATHS = [
  '/edge/metrics',
  '/api/client/metrics',
  '/api/client/register',
  '/api/client/metrics/edge',
  '/edge/validate',
  '/v1/logs',
];

describe('a body in chunks of one byte', () => {
  const world = sharedUncountedWorld();
  let ingest: ServiceProcess;
  before(async () => {
    ingest = await forkAttacked(world, 'ingest');
  });

  for (const path of someByDay(PATHS, 1 / 3))
    for (const [who, authorization, status] of [
      ['a token', CLIENT_TOKEN, 413],
      ['a stranger', 'nobody', path === '/edge/validate' ? 413 : 401],
    ] as const)
      it(`costs no more than its bytes: of ${who} at ${path}`, async () => {
        // Again if it was too dear, because a busy machine may make an answer late.
        let cost = await costOf(path, authorization);
        for (let again = 1; again < TRIES && isTooDear(cost); again += 1)
          cost = await costOf(path, authorization);
        expect(cost).to.satisfy((one: typeof cost) => !isTooDear(one), JSON.stringify(cost));
        // A client that is cut off while it writes may not see the answer.
        expect(cost.status).to.be.oneOf([0, status]);
      });

  async function costOf(path: string, authorization: string): Promise<Cost> {
    const connection = await openRawConnection(ingest.url);
    const headers = { authorization, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const before = await ingest.readUsage();
    ingest.watchTurns();
    await connection.write(rawHead(path, headers) + '1\r\n \r\n'.repeat(BYTES)).catch(() => undefined);
    const answer = await connection.answer().catch(() => undefined);
    await connection.closed();
    const after = await ingest.readUsage();
    return {
      what: path,
      status: answer?.status ?? 0,
      kilobytes: BYTES / 1000,
      cpuMs: after.cpuMs - before.cpuMs,
      longestTurnMs: after.longestTurnsMs[0] ?? 0,
    };
  }
});

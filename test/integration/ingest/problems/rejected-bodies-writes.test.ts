import { expect } from 'chai';
import type { Context } from 'koa';
import { HttpProblem } from '#base/http';
import { type Postgres, openPostgres } from '#base/postgres';
import { Counter, Registry } from '#base/runtime';
import { createProblemReports } from '../../../../services/ingest/problems/report-problems.ts';
import { writeRejectedBodies } from '../../../../packages/base/auth/tokens/rejected-bodies.ts';
import {
  createRejectedBodies,
  pruneRejectedBodies,
} from '../../../../services/admin/usage/rejected-bodies/store.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';

describe('writes of rejected bodies', () => {
  const world = sharedUncountedWorld();
  let db: Postgres;
  before(() => {
    db = openPostgres({ ...world.config.postgres, log: world.log });
  });
  after(() => db.end());
  beforeEach(() => db.query('delete from rejected_bodies'));

  it('add up once, whatever the outcome of a try looked like', async () => {
    const outcomes = ['lost after the write', 'lost before the write', 'fine', 'fine'];
    const metrics = {
      rejectedBodies: new Counter({
        name: 'x',
        help: 'x',
        labelNames: ['problem'],
        registers: [new Registry()],
      }),
    };
    const reports = createProblemReports({
      metrics,
      log: world.log,
      async write(one) {
        const outcome = outcomes.shift();
        if (outcome !== 'lost before the write') await writeRejectedBodies(db, one);
        if (outcome !== 'fine') throw new Error(outcome);
      },
    });
    for (let report = 0; report < 3; report += 1) {
      reports.noteRejected(context(), 'token', new HttpProblem(413, 'The body is larger than 9 bytes.'));
      await reports.close();
    }
    const { rejectedBodies } = await createRejectedBodies(db).list(ALL);
    expect(rejectedBodies.map(({ problem, count }) => [problem, count])).to.deep.equal([['too_large', 3]]);
    expect(outcomes).to.deep.equal([]);
  });

  it('are forgotten after 30 days', async () => {
    for (const age of [29, 31])
      await db.query(
        `insert into rejected_bodies
           (day, token_id, problem, status, path, place, message, app_name, sdk, bodies, first_at, last_at)
         values ((now() at time zone 'UTC')::date - $1::int, '', 'empty', 400, '/', '', '', '', '', 1, now(), now())`,
        [age],
      );
    await pruneRejectedBodies(db);
    const { rows } = await db.query('select from rejected_bodies');
    expect(rows).to.have.length(1);
  });
});

const ALL = { tokenId: undefined, problem: undefined, limit: 10 };

/** What a report needs of a request. */
function context(): Context {
  return { method: 'POST', _matchedRoute: '/edge/metrics', get: () => '' } as unknown as Context; // only what is used exists
}

import { diesWriting, disturb, oneOf } from '../faults/ways.ts';
import { timed } from './timed.ts';

/** An incident that lasts begins within this time, so that its world does not last much longer than others. */
const SOON_MS = 10_000;

/**
 * ClickHouse is killed within several INSERTs. Meanwhile workers freeze or end, so that others complete their blocks, and requests
 * arrive late.
 */
export const clickhouseDiesOften = timed((world, { random, log, later, during }) => {
  const { clickhouse, workers } = world;
  log('clickhouse is killed within several INSERTs');
  const disturbWorkers = (): void => {
    for (const worker of workers) {
      const chance = random();
      if (chance < 0.4) worker.freeze(random() * 20_000);
      else if (chance < 0.6) worker.kill();
    }
  };
  for (let deaths = 0; deaths < 5; deaths += 1)
    later(60_000, () => {
      for (const server of clickhouse) {
        diesWriting(world, server, disturbWorkers);
        during(10_000, () => disturb([{ server }], random() < 0.5 ? { late: 0.4 } : { latencyMs: 1000 }));
      }
    });
});

/**
 * ClickHouse is killed within INSERTs, and is slow afterwards. A worker freezes while it completes the block of one, until the other
 * worker has completed it too.
 */
export const workersMeetInCompletions = timed((world, { random, log, later, during, last }) => {
  const { clickhouse, workers } = world;
  log('workers freeze while they complete blocks');
  last(60_000);
  for (let deaths = 0; deaths < 4; deaths += 1)
    later(40_000, () => {
      for (const server of clickhouse)
        diesWriting(world, server, () => {
          during(12_000, () => disturb([{ server }], { latencyMs: 2000 }));
          later(12_000, () => {
            oneOf(random, workers).freeze(12_000 + random() * 18_000);
          });
        });
    });
}, SOON_MS);

/**
 * ClickHouse is killed within several INSERTs of a block, and the next ones travel long. Then all workers end, and their successors
 * complete the block while old INSERTs still arrive.
 */
export const insertsArriveLate = timed((world, { random, log, during, last }) => {
  log('clickhouse is killed within INSERTs, and later ones arrive late');
  last(50_000);
  for (const server of world.clickhouse) {
    let deaths = 3;
    const die = (): void => {
      deaths -= 1;
      if (deaths > 0) diesWriting(world, server, die);
      else during(3000 + random() * 10_000, travelLong);
    };
    const travelLong = (): (() => void) => {
      const heal = disturb([{ server }], { late: 0.6, lateOnly: 'insert' });
      return () => {
        heal();
        for (const worker of world.workers) worker.kill();
      };
    };
    diesWriting(world, server, die);
  }
}, SOON_MS);

/**
 * A token is revoked in Postgres, and its announcement is lost. It is looked up again after a minute, so the world lasts longer than that.
 */
export const announcementIsLost = timed(({ relays, postgres }, { log, last }) => {
  const [, relay] = relays;
  if (relay === undefined) return;
  log(`the token of ${relay.name} is revoked without an announcement`);
  postgres.revoke(relay.token.id);
  last(80_000);
});

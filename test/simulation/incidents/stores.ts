import { diesWriting, disturb } from '../faults/ways.ts';
import { timed } from './timed.ts';

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
 * A token is revoked in Postgres, and its announcement is lost. It is looked up again after a minute, so the world lasts longer than that.
 */
export const announcementIsLost = timed(({ relays, postgres }, { log, last }) => {
  const [, relay] = relays;
  if (relay === undefined) return;
  log(`the token of ${relay.name} is revoked without an announcement`);
  postgres.revoke(relay.token.id);
  last(80_000);
});

import { writeFileSync } from 'node:fs';
import { ownClickHouse, ownKafka, ownPostgres, ownRedis } from '../support/stack/engines/own-engines.ts';
import { createWorld } from '../support/world.ts';

/** For interrupted-suite.test.ts. Everything that tests start runs by the time that it writes this file. */
describe('a test that never ends', () => {
  it('starts engines and a service', async () => {
    const [world] = await Promise.all([
      createWorld(),
      ownClickHouse(),
      ownKafka(),
      ownPostgres(),
      ownRedis().then((redis) => redis.freeze()),
    ]);
    await world.fork('ingest');
    writeFileSync('.local/everything-runs', '');
    await new Promise(() => undefined);
  });
});

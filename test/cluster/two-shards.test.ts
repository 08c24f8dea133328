import { type OwnServers, ownShards } from '../support/stack/engines/own-cluster.ts';
import { testRepairs } from './two-shards/repairs.ts';
import { testTables } from './two-shards/tables.ts';

/** These share the servers, because they take seconds of CPU to start. */
describe('two shards', () => {
  let cluster: OwnServers;

  before(async () => {
    cluster = await ownShards();
  });
  after(() => cluster.dispose());

  describe('the tables', () => {
    testTables(() => cluster);
  });

  describe('repairs', () => {
    testRepairs(() => cluster);
  });
});

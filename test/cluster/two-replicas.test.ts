import { type OwnCluster, ownCluster } from '../support/stack/engines/own-cluster.ts';
import { describeStory } from '../support/stories/story.ts';
import { testBlocks } from './two-replicas/blocks.ts';
import { testRepairs } from './two-replicas/repairs.ts';
import { tellStory } from './two-replicas/story.ts';

/** These share the replicas and their ZooKeeper, because they take seconds of CPU to start. At night the story adds a third replica. */
describe('two replicas', () => {
  let cluster: OwnCluster;

  before(async () => {
    cluster = await ownCluster();
  });
  after(() => cluster.dispose());

  describe('blocks', () => {
    testBlocks(() => cluster);
  });

  describe('repairs', () => {
    testRepairs(() => cluster);
  });

  describeStory('2 ClickHouse, two replicas', (story) => {
    tellStory(() => cluster, story);
  });
});

import { expect } from 'chai';
import { combinationsOf } from '../../support/attacks/client-tokens.ts';
import { untilItLasts } from '../../support/borders.ts';
import { post } from '../../support/requests/post.ts';
import { sharedCounting } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

const MAX_ROWS = 500;

/** Every name is soon known. The worker stores every combination of names. */
describe('a token that sends new combinations of a few names', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1', MAX_ROWS_PER_HOUR: String(MAX_ROWS) });
  const ingest = sharedCounting(world);

  before(async () => {
    await untilItLasts('hour', 60_000);
  });

  it('stores as many rows as it may in this hour; the rest gets 202 and is refused', async () => {
    for (let hoursAgo = 0; hoursAgo < 10; hoursAgo += 1) {
      const body = combinationsOf(hoursAgo, 'production');
      const { status } = await post(ingest, { body });
      expect(status).to.equal(202);
    }
    const { total } = await world.settled();

    expect(total).to.include({ received: 1000, counted: MAX_ROWS, refused: 1000 - MAX_ROWS });
    const reasons = await world.query('select distinct reason from refusals');
    expect(reasons).to.deep.equal([{ reason: 'too_many_rows' }]);
    const [stored] = await world.query('select toUInt32(count()) as rows from usage_by_hour');
    expect(stored).to.deep.equal({ rows: MAX_ROWS });
  });
});

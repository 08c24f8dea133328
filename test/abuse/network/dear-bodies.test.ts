import { expect } from 'chai';
import { attackedIngest } from '../../support/attacks/attacked-ingest.ts';
import { releaseCanary } from '../../support/attacks/canary/canary.ts';
import { DEAREST, pushAsAttacker } from '../../support/attacks/client-tokens.ts';
import { post } from '../../support/requests/post.ts';

const CONNECTIONS = 12;
const BATCHES = 50;
/** So that the normal memory of large bodies does not count as a rise. */
const WARM_UP = 60;

describe('a token that sends the most expensive bodies', () => {
  const attacked = attackedIngest();

  it('costs other relays nothing', async () => {
    for (let body = 0; body < WARM_UP; body += 1) await pushAsAttacker(attacked.ingest.url, DEAREST);
    const canary = await releaseCanary(attacked.ingest);
    const attack = { isOver: false };
    const answers = new Set<string>();
    const attackers = Array.from({ length: CONNECTIONS }, async () => {
      while (!attack.isOver) answers.add(await pushAsAttacker(attacked.ingest.url, DEAREST));
    });
    await canary.answered(BATCHES);
    attack.isOver = true;
    await Promise.all(attackers);

    await canary.expectUnharmed();
    expect([...answers]).to.deep.equal(['202']);
  });

  it('may send a certain number of them per minute by default', async () => {
    const { headers } = await post(attacked.ingest);
    expect(headers.get('ratelimit-limit')).to.equal('30000');
  });
});

import { expect } from 'chai';
import { LostPartition } from '#core/kafka';
import { Membership } from '../../../../../packages/core/kafka/consuming/membership.ts';

describe('membership of a consumer group', () => {
  it('has no generation before the first join', async () => {
    expect(await outcomeOf(new Membership())).to.equal('lost');
  });

  it('ends a generation for all partitions when one is lost, and begins none before the next join', async () => {
    const membership = new Membership();
    membership.join();
    let first = 0;
    const lost = membership.during(() => Promise.reject(new LostPartition()));
    const other = membership.during(async ({ number, check }) => {
      first = number;
      await lost.catch(() => undefined);
      check();
    });

    expect(await Promise.allSettled([lost, other])).to.have.nested.property('[1].status', 'rejected');
    expect(membership.isJoined()).to.equal(false);
    expect(await outcomeOf(membership)).to.equal('lost');
    membership.join();
    expect(await membership.during(({ number }) => Promise.resolve(number))).to.be.greaterThan(first);
  });

  it('ignores losses of an earlier generation, and errors that are no loss', async () => {
    const membership = new Membership();
    membership.join();
    const earlier = membership.during(async ({ check }) => {
      await Promise.resolve();
      check();
    });
    membership.leave();
    membership.join();

    expect(await earlier.catch((error: unknown) => error)).to.be.instanceOf(LostPartition);
    expect(await membership.during(() => Promise.reject(new Error('of the work'))).catch(String)).to.equal(
      'Error: of the work',
    );
    expect(await outcomeOf(membership)).to.equal('done');
  });
});

async function outcomeOf(membership: Membership): Promise<'done' | 'lost'> {
  try {
    await membership.during(() => Promise.resolve());
    return 'done';
  } catch (error) {
    if (error instanceof LostPartition) return 'lost';
    throw error;
  }
}

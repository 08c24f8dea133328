import { expect } from 'chai';
import { sendersOf } from '../../../../services/console/state/senders.ts';

describe('sendersOf', () => {
  const NOW = Date.parse('2026-11-22T12:00:00.000Z');
  const token = (tokenName: string, minutesAgo: number | undefined, type = 'client') => ({
    tokenName,
    type,
    seenAt: minutesAgo === undefined ? null : new Date(NOW - minutesAgo * 60_000).toISOString(),
  });

  it('divides tokens by their last use and leaves out those of people', () => {
    const tokens = [
      token('edge-old', 3 * 60),
      token('edge-2', 50),
      token('new', undefined, 'frontend'),
      token('script', 1, 'admin'),
      token('edge-1', 1),
      token('edge-just-silent', 60),
    ];
    const { reporting, silent, unused } = sendersOf(tokens, NOW);
    const namesOf = (list: readonly { tokenName: string }[]) => list.map(({ tokenName }) => tokenName);
    expect(namesOf(reporting)).to.deep.equal(['edge-1', 'edge-2']);
    expect(namesOf(silent)).to.deep.equal(['edge-just-silent', 'edge-old']);
    expect(namesOf(unused)).to.deep.equal(['new']);
  });
});

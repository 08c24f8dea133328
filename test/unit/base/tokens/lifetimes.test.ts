import { expect } from 'chai';
import { latestEnd, problemOfEnd } from '#base/tokens';

const NOW = Date.parse('2026-11-21T10:15:00Z');
const MAX_DAYS = { admin: 7, client: 0, frontend: 0, scan: 0, personal: 366 };

const problemOf = (type: keyof typeof MAX_DAYS, end: string | undefined) =>
  problemOfEnd({ type, expiresAt: end === undefined ? undefined : Date.parse(end) }, MAX_DAYS, NOW);

describe('the life of a token', () => {
  it('ends with the last day in UTC at the latest', () => {
    expect(problemOf('admin', '2026-11-28T23:59:59.999Z')).to.equal(undefined);
    expect(problemOf('admin', '2026-11-29T00:00:00Z')).to.equal(
      'A token of the type admin lasts at most 7 days (MAX_DAYS_OF_ADMIN_TOKENS): it must end by 2026-11-28T23:59:59.999Z.',
    );
    expect(latestEnd('admin', MAX_DAYS, NOW)).to.equal(Date.parse('2026-11-28T23:59:59.999Z'));
  });

  it('needs an end only if there is a limit', () => {
    expect(problemOf('admin', undefined)).to.include('it must end by');
    expect(problemOf('client', undefined)).to.equal(undefined);
    expect(problemOf('client', '2099-01-01T00:00:00Z')).to.equal(undefined);
    expect(latestEnd('client', MAX_DAYS, NOW)).to.equal(undefined);
  });

  it('ends in the future', () => {
    for (const type of ['client', 'admin'] as const)
      expect(problemOf(type, '2026-11-21T10:15:00Z')).to.equal('The end of a token must be in the future.');
  });
});

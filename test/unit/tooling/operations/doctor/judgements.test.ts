import { expect } from 'chai';
import { judgeCertificate } from '../../../../../packages/tooling/operations/doctor/checks/servers/certificate.ts';
import { judgeClock } from '../../../../../packages/tooling/operations/doctor/checks/servers/clock.ts';
import { judgeDisk } from '../../../../../packages/tooling/operations/doctor/checks/servers/disk.ts';
import { judgeMigrations } from '../../../../../packages/tooling/operations/doctor/checks/servers/migrations.ts';
import { judgeReceipts } from '../../../../../packages/tooling/operations/doctor/checks/receipts.ts';
import { judgeTimeZone } from '../../../../../packages/tooling/operations/doctor/checks/servers/time-zone.ts';
import { judgeVersion } from '../../../../../packages/tooling/operations/doctor/checks/servers/version.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;

describe('the judgements of flagmeter doctor', () => {
  it('count only the certain part of a clock difference', () => {
    expect(judgeClock({ aheadMs: 3, uncertaintyMs: 5 })).to.deep.equal({
      state: 'ok',
      text: 'The clock agrees with this host (± 0.005 s).',
    });
    expect(judgeClock({ aheadMs: -900, uncertaintyMs: 5 }).state).to.equal('ok');
    expect(judgeClock({ aheadMs: 3000, uncertaintyMs: 2500 }).state).to.equal('ok');
    expect(judgeClock({ aheadMs: -3000, uncertaintyMs: 100 })).to.include({
      state: 'warn',
      text: 'The clock is 3.000 s behind this host (± 0.100 s).',
    });
    expect(judgeClock({ aheadMs: 60_100, uncertaintyMs: 100 }).state).to.equal('fail');
  });

  it('warn of receipt times at half of the difference that may count twice, and fail at all of it', () => {
    const stateOf = (aheadMs: number, behindMs: number) => judgeReceipts({ aheadMs, behindMs }).state;
    expect([stateOf(5499, 0), stateOf(5500, 0), stateOf(11_000, 0)]).to.deep.equal(['ok', 'warn', 'fail']);
    expect([stateOf(0, 5499), stateOf(0, 5500), stateOf(0, 11_000)]).to.deep.equal(['ok', 'warn', 'fail']);
  });

  it('warn of versions older than the tested ones', () => {
    expect(judgeVersion('ClickHouse', '26.7.3.19').state).to.equal('ok');
    expect(judgeVersion('ClickHouse', '27.1.1').state).to.equal('ok');
    expect(judgeVersion('ClickHouse', '26.6.9').state).to.equal('warn');
    expect(judgeVersion('Postgres', '15.14 (Debian 15.14-1)').state).to.equal('ok');
    expect(judgeVersion('Postgres', '14.9').state).to.equal('warn');
    expect(judgeVersion('Kafka', '3.9-IV0').state).to.equal('warn');
    expect(judgeVersion('Kafka', '4 or later').state).to.equal('ok');
  });

  it('warn of a certificate 30 days before its end, and fail a week before', () => {
    const now = Date.UTC(2026, 10, 22);
    const stateAfter = (days: number) => judgeCertificate(new Date(now + days * DAY_MS), now).state;
    expect([-1, 6, 7, 29, 30].map(stateAfter)).to.deep.equal(['fail', 'fail', 'warn', 'warn', 'ok']);
    expect(judgeCertificate(new Date(now + DAY_MS), now).text).to.equal(
      'The certificate is valid until 2026-11-23T00:00Z, for 1 more day.',
    );
  });

  it('compare the free disk with its size and with the growth of the tables', () => {
    const disk = (freeGib: number) => ({ name: 'default', freeBytes: freeGib * GIB, totalBytes: 100 * GIB });
    const young = { bytes: GIB, storedDays: 2, keptDays: 90 };
    const grown = { bytes: 10 * GIB, storedDays: 30, keptDays: 90 };
    expect(judgeDisk(disk(50), [young, grown])).to.deep.equal({
      state: 'ok',
      text: 'The disk default has 50.0 GiB of 100.0 GiB free; the tables hold 11.0 GiB and will grow by about 20.0 GiB.',
    });
    expect(judgeDisk(disk(19), [grown]).state).to.equal('warn');
    expect(judgeDisk(disk(14), []).state).to.equal('warn');
    expect(judgeDisk(disk(4), []).state).to.equal('fail');
  });

  it('name missing and unknown migrations', () => {
    expect(judgeMigrations(['1', '2'], ['1', '2']).state).to.equal('ok');
    expect(judgeMigrations(['1', '2'], ['1'])).to.include({
      state: 'fail',
      text: 'These migrations are missing: 2.',
    });
    expect(judgeMigrations(['1'], ['1', '2']).state).to.equal('warn');
  });

  it('warn if columns depend on the time zone', () => {
    expect(judgeTimeZone('Europe/Berlin', []).state).to.equal('ok');
    expect(judgeTimeZone('UTC', ['t.at'])).to.include({
      state: 'warn',
      text: 'The time zone is UTC, and these columns depend on it: t.at.',
    });
  });
});

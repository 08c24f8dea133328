import { expect } from 'chai';
import { formatBucket } from '../../../../services/console/state/chart/bucket-title.ts';
import { formatSentence } from '../../../../services/console/state/sentences/index.ts';
import { localZone, zoneName } from '../../../../services/console/state/time/local-zone.ts';

const HOUR_MS = 3_600_000;

describe('the local time of the console', () => {
  const before = process.env['TZ'];
  const inZone = (zone: string) => {
    process.env['TZ'] = zone;
  };
  afterEach(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });

  it('says the offsets of an hour in which the clocks change, and of no other', () => {
    inZone('Europe/Berlin');
    const titleOf = (start: string) =>
      formatBucket({ start: Date.parse(start), end: Date.parse(start) + HOUR_MS }, 'local');
    expect(titleOf('2026-10-25T00:00:00Z')).to.equal('2026-10-25 02:00 (UTC+2) – 02:00 (UTC+1)');
    expect(titleOf('2026-10-25T01:00:00Z')).to.equal('2026-10-25 02:00 – 03:00');
    expect(titleOf('2026-03-29T00:00:00Z')).to.equal('2026-03-29 01:00 (UTC+1) – 03:00 (UTC+2)');
    inZone('Australia/Lord_Howe');
    expect(titleOf('2026-04-04T14:30:00Z')).to.equal('2026-04-05 01:30 (UTC+11) – 02:00 (UTC+10:30)');
  });

  it('shows the times of sentences in the zone of the switch, and says that days are those of UTC', () => {
    inZone('Asia/Kolkata');
    const hour = 'It was evaluated last in the hour of 2026-11-20 20:00 UTC, more than 7 days ago.';
    expect(formatSentence(hour, 'UTC')).to.equal(hour);
    expect(formatSentence(hour, 'local')).to.equal(
      'It was evaluated last in the hour of 2026-11-21 01:30, more than 7 days ago.',
    );
    expect(formatSentence('It reported last at 2026-11-20T20:00:05.120Z.', 'local')).to.equal(
      'It reported last at 2026-11-21 01:30:05.',
    );
    const days = 'Each of its 1001 evaluations from 2026-10-22 to 2026-11-20 was enabled.';
    expect(formatSentence(days, 'local')).to.equal(
      'Each of its 1,001 evaluations from 2026-10-22 to 2026-11-20 was enabled. (Days of UTC.)',
    );
  });

  it('is UTC if the browser does not know its zone, or knows only an offset', () => {
    inZone('Europe/Berlin');
    expect([localZone(), zoneName('local'), zoneName('UTC')]).to.deep.equal([
      'Europe/Berlin',
      'Europe/Berlin',
      'UTC',
    ]);
    for (const timeZone of ['Etc/Unknown', '+05:30'])
      expect(localZone({ ...Intl.DateTimeFormat().resolvedOptions(), timeZone })).to.equal(undefined);
  });
});

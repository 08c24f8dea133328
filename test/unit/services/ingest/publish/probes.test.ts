import { expect } from 'chai';
import { decodeCounts, decodeRegistrations } from '#core/counting';
import { applicationsProbe, countsProbe } from '../../../../../services/ingest/publish/probes.ts';

describe('a probe', () => {
  it('of the counts topic is a message without counts, different each time', () => {
    const [one, other] = [countsProbe(), countsProbe()].map((value) => decodeCounts(value));
    if (one === undefined || 'problem' in one) throw new Error('it cannot be decoded');
    expect(one.message).to.deep.include({ tokenId: 'probe', received: 0, rows: [], refusals: [] });
    expect(other).to.not.deep.equal(one);
  });

  it('of the applications topic is a message without registrations', () => {
    expect(decodeRegistrations(Buffer.from(applicationsProbe()))).to.deep.include({ registrations: [] });
  });
});

import { expect } from 'chai';
import type { Block } from '#core/counting';
import { createRefusalLog } from '../../../../services/worker/counts/refusal-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';

type Refused = Block['refusals'][number];

const FALLEN: Refused = {
  kind: 'metric',
  reason: 'counter_fell',
  featureName: 'basket',
  appName: 'shop',
  environment: 'production',
  metrics: 2,
  sample: '5 after 10',
  tokenId: 'one',
  receivedAt: 0,
};

describe('the log of what the worker refuses', () => {
  it('has one line for each token and reason, soon for the first, without names and values', async () => {
    const { log, lines } = collectLog();
    const refusals = createRefusalLog(log);
    const ofOther = { ...FALLEN, tokenId: 'other', reason: 'too_many_counters' } as const;
    refusals.note({ refusals: [FALLEN, { ...FALLEN, featureName: 'search' }, ofOther] });
    const found = await eventually(
      () => Promise.resolve(lines()),
      ({ length }) => length > 0,
    );
    const [fallen, tooMany] = found;
    expect(fallen).to.include({ msg: 'refused', tokenId: 'one', reason: 'counter_fell', count: 4 });
    expect(tooMany).to.include({ tokenId: 'other', reason: 'too_many_counters', count: 2 });
    expect(JSON.stringify(found)).not.to.match(/basket|search|5 after 10/);

    refusals.note({ refusals: [FALLEN] });
    refusals.note({ refusals: [FALLEN] });
    expect(lines()).to.have.lengthOf(2);
    refusals.close();
    expect(
      lines()
        .slice(2)
        .map(({ count }) => count),
    ).to.deep.equal([4]);
  });

  it('leaves out what ingest has logged', () => {
    const { log, lines } = collectLog();
    const refusals = createRefusalLog(log);
    refusals.note({ refusals: [{ ...FALLEN, reason: 'too_old' }] });
    refusals.close();
    expect(lines()).to.deep.equal([]);
  });
});

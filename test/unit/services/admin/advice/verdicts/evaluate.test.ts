import { expect } from 'chai';
import {
  findSilentRelays,
  findTroubles,
  findVerdicts,
} from '../../../../../../services/admin/advice/verdicts/evaluate.ts';
import { ALL_VERDICTS } from '../../../../../../services/admin/advice/verdicts/thresholds.ts';

type Compared = Awaited<ReturnType<Parameters<typeof findTroubles>[0]['readAgreed']>>;

const compared = (differences: readonly string[], open: number): Compared => ({
  accounting: { partitions: [], imports: [], days: [], sampleMadeAt: undefined },
  differences: differences.map((text) => ({ subject: text, text, by: '1', at: '1' })),
  deadLetters: {
    dead: open,
    open,
    replayed: 0,
    dropped: 0,
    received: 0,
    counted: 0,
    refused: 0,
    duplicate: 0,
  },
});

describe('the verdicts that are followed', () => {
  it('are those on features and applications, each once', async () => {
    const row = {
      environment: 'production',
      since: '2026-11-21T10:15:00.000Z',
      value: 1,
      threshold: 1,
      subject: null,
    };
    const skew = { ...row, featureName: null, appName: 'shop', evaluations: null, verdict: 'clock_skew' };
    const list = [
      { ...row, featureName: 'a', appName: null, evaluations: 7, verdict: 'silent', sentence: 'Why.' },
      { ...skew, sentence: 'For one reason.' },
      { ...skew, sentence: 'For another reason.' },
    ];
    const { found, isComplete } = await findVerdicts({
      list: () =>
        Promise.resolve({
          verdicts: list,
          totals: [
            { verdict: 'silent', total: 1 },
            { verdict: 'clock_skew', total: 2 },
          ],
        }),
    });
    expect(found.map(({ subjectType, subject, sentence }) => [subjectType, subject, sentence])).to.deep.equal(
      [
        ['feature', 'a', 'Why.'],
        ['application', 'shop', 'For one reason.'],
      ],
    );
    expect(isComplete).to.equal(true);
  });

  it('are not complete if there are too many', async () => {
    const one = {
      featureName: 'a',
      appName: null,
      environment: 'production',
      verdict: 'silent',
      evaluations: 0,
      since: '2026-11-21T10:15:00.000Z',
      value: 1,
      threshold: 1,
      subject: null,
      sentence: 'Why.',
    };
    const verdicts = Array.from({ length: 10_000 }, (_, index) => ({ ...one, featureName: `f${index}` }));
    const totals = [{ verdict: 'silent', total: 10_001 }];
    const { isComplete } = await findVerdicts({ list: () => Promise.resolve({ verdicts, totals }) });
    expect(isComplete).to.equal(false);
  });

  it('include relays that fell silent', () => {
    const [relay] = findSilentRelays([
      { name: 'edge', environment: 'production', lastReportAt: new Date('2026-11-21T10:15:00.000Z') },
    ]).found;
    expect(relay).to.deep.include({ subjectType: 'relay', subject: 'edge', verdict: 'relay_silent' });
  });

  it('include an accounting that differs, and dead letters', async () => {
    const found = async (...given: Parameters<typeof compared>): Promise<string[]> => {
      const findings = await findTroubles({ readAgreed: () => Promise.resolve(compared(...given)) });
      return findings.found.map(({ verdict, sentence }) => `${verdict}: ${sentence}`);
    };
    expect(await found([], 0)).to.deep.equal([]);
    expect(await found(['Partition 1 has a gap.'], 2)).to.deep.equal([
      'accounting_differs: Partition 1 has a gap. flagmeter reconcile shows all differences.',
      'dead_letters: 2 messages could not be decoded. flagmeter dead list shows them.',
    ]);
  });

  it('have names of their own', () => {
    expect(new Set(ALL_VERDICTS)).to.have.property('size', ALL_VERDICTS.length);
  });
});

import { expect } from 'chai';
import { findingsOf } from '../../../../../services/cli/commands/gate/findings.ts';

const aVerdict = (verdict: string, environment = 'production') => ({
  verdict,
  environment,
  sentence: `It is ${verdict}.`,
});

describe('findingsOf', () => {
  it('takes the verdicts that the gate knows, in each environment', () => {
    const verdicts = [aVerdict('always_on'), aVerdict('drift'), aVerdict('silent', 'development')];
    expect(findingsOf({ isArchived: false }, verdicts)).to.deep.equal([
      { reason: 'always-on', environment: 'production', explanation: 'It is always_on.' },
      { reason: 'silent', environment: 'development', explanation: 'It is silent.' },
    ]);
  });

  it('explains unknown and archived names by a verdict, if they have one', () => {
    expect(findingsOf(undefined, [aVerdict('unknown')])).to.deep.equal([
      { reason: 'unknown', environment: undefined, explanation: 'It is unknown.' },
    ]);
    expect(findingsOf({ isArchived: true }, [aVerdict('called_while_archived')])).to.deep.equal([
      { reason: 'archived', environment: undefined, explanation: 'It is called_while_archived.' },
    ]);
    expect(findingsOf(undefined, []).map(({ explanation }) => explanation)).to.deep.equal([
      'No feature has this name.',
    ]);
    expect(findingsOf({ isArchived: true }, []).map(({ reason }) => reason)).to.deep.equal(['archived']);
  });
});

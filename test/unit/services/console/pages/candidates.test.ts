import { expect } from 'chai';
import { candidatesOf } from '../../../../../services/console/pages/advice/clean-up/candidate.ts';

const aVerdict = (featureName: string, verdict: string, evaluations = 0) => ({
  featureName,
  verdict,
  evaluations,
  environment: 'production',
  sentence: `${featureName} ${verdict}`,
});
const features = ['cold', 'hot', 'new'].map((name) => ({
  name,
  project: 'default',
  source: 'flagmeter' as const,
  createdAt: '2026-11-01T10:00:00.000Z',
  createdBy: 'ana',
}));

describe('the flags that can go', () => {
  it('come in the order of their evaluations a day', () => {
    const found = candidatesOf(features, [
      aVerdict('cold', 'silent'),
      aVerdict('cold', 'archive_evidence'),
      aVerdict('hot', 'always_on', 3000),
      aVerdict('hot', 'archive_evidence', 3000),
    ]);
    expect(found.map(({ name, evaluationsPerDay }) => [name, evaluationsPerDay])).to.deep.equal([
      ['hot', 100],
      ['cold', 0],
    ]);
  });

  it('leave out features without a reason to go, and features that are archived', () => {
    const found = candidatesOf(features, [aVerdict('new', 'new', 5), aVerdict('archived', 'silent')]);
    expect(found).to.deep.equal([]);
  });

  it('have their reasons apart from their evidence', () => {
    const [found] = candidatesOf(features, [
      aVerdict('hot', 'always_on', 3000),
      aVerdict('hot', 'archive_evidence', 3000),
    ]);
    expect(found?.reasons.map(({ verdict }) => verdict)).to.deep.equal(['always_on']);
    expect(found?.evidence).to.deep.equal(['hot archive_evidence']);
  });
});

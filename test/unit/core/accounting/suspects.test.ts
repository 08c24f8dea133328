import { expect } from 'chai';
import type { Difference } from '#core/accounting';
import { Suspects } from '../../../../packages/core/accounting/days/suspects.ts';

describe('a part of the accounting that differs', () => {
  it('is not certain before the first check', () => {
    expect(new Suspects().certain()).to.deep.equal([]);
  });

  it('is no longer suspected once it has agreed', () => {
    const suspects = new Suspects();
    for (const look of [1, 2])
      expect(
        suspects.look([aDifference('monday', 3, 10), aDifference('tuesday', 1, 5)]),
        `look ${look}`,
      ).to.have.length(2);
    expect(suspects.look([aDifference('tuesday', 1, 5)])).to.have.length(1);
    expect(
      placesOf(suspects.look([aDifference('monday', 3, 10), aDifference('tuesday', 1, 5)])),
    ).to.deep.equal(['tuesday']);
    expect(placesOf(suspects.certain())).to.deep.equal(['tuesday']);
  });

  it('is certain if it differs by the same amount while the data change', () => {
    const suspects = new Suspects();
    for (const [by, at] of [
      [5, 100],
      [37, 100],
      [5, 140],
    ] as const)
      suspects.look([aDifference('monday', by, at)]);
    expect(placesOf(suspects.certain())).to.deep.equal(['monday']);
  });

  it('is certain if the data never change', () => {
    const suspects = new Suspects();
    suspects.look([aDifference('monday', 5, 100)]);
    suspects.look([aDifference('monday', 5, 100)]);
    expect(placesOf(suspects.certain())).to.deep.equal(['monday']);
  });

  it('is not certain if the difference changes whenever the data do', () => {
    const suspects = new Suspects();
    for (const [by, at] of [
      [40, 100],
      [40, 100],
      [12, 140],
      [33, 152],
    ] as const)
      suspects.look([aDifference('monday', by, at)]);
    expect(suspects.certain()).to.deep.equal([]);
  });

  it('is judged independently of other places', () => {
    const suspects = new Suspects();
    suspects.look([aDifference('monday', 5, 100), aDifference('tuesday', 7, 50)]);
    suspects.look([aDifference('monday', 5, 120), aDifference('tuesday', 9, 70)]);
    expect(placesOf(suspects.certain())).to.deep.equal(['monday']);
  });
});

function aDifference(subject: string, by: number, at: number): Difference {
  return { subject, text: 'they differ', by: String(by), at: String(at) };
}

function placesOf(differences: readonly Difference[]): string[] {
  return differences.map(({ subject }) => subject);
}

import { expect } from 'chai';
import { placeInBody } from '../../../../services/ingest/problems/place-in-body.ts';
import { ProblemSums } from '../../../../services/ingest/problems/problem-sums.ts';

const AT = Date.UTC(2026, 10, 21, 23, 59, 59);
const BASE = { tokenId: 'token', problem: 'schema', count: 1, at: AT };

describe('sums of problems', () => {
  it('add up equal problems of a token on a day, with the first example', () => {
    const sums = new ProblemSums<string>();
    sums.add(BASE, () => 'first');
    sums.add({ ...BASE, count: 2, at: AT + 500 }, () => 'second');
    sums.add({ ...BASE, at: AT + 1000 }, () => 'next day');
    sums.add({ ...BASE, tokenId: '' }, () => 'stranger');
    const row = { tokenId: 'token', problem: 'schema', day: '2026-11-21', firstAt: AT };
    expect(sums.take()).to.deep.equal([
      { ...row, lastAt: AT + 500, count: 3, example: 'first' },
      { ...row, day: '2026-11-22', firstAt: AT + 1000, lastAt: AT + 1000, count: 1, example: 'next day' },
      { ...row, tokenId: '', lastAt: AT, count: 1, example: 'stranger' },
    ]);
    expect([sums.isEmpty, sums.take()]).to.deep.equal([true, []]);
  });

  it('merge later ones, whose example is newer', () => {
    const [sums, later] = [new ProblemSums<string>(), new ProblemSums<string>()];
    sums.add(BASE, () => 'first');
    later.add({ ...BASE, count: 5, at: AT + 500 }, () => 'second');
    sums.merge(later.take());
    expect(sums.take()).to.deep.equal([
      {
        tokenId: 'token',
        problem: 'schema',
        day: '2026-11-21',
        firstAt: AT,
        lastAt: AT + 500,
        count: 6,
        example: 'second',
      },
    ]);
  });

  it('hold 100 of one token and 4,000 of all, and then still add to those', () => {
    const sums = new ProblemSums<number>();
    for (let token = 0; token < 50; token += 1)
      for (let problem = 0; problem < 150; problem += 1)
        sums.add({ ...BASE, tokenId: `token-${token}`, problem: `problem-${problem}` }, () => problem);
    sums.add({ ...BASE, tokenId: 'token-0', problem: 'problem-0' }, () => -1);
    const held = sums.take();
    expect(held.length).to.equal(4000);
    expect(held.filter(({ tokenId }) => tokenId === 'token-0').length).to.equal(100);
    expect(held[0]).to.include({ count: 2, example: 0 });
    sums.add({ ...BASE, tokenId: 'token-49' }, () => 0);
    expect(sums.take()).to.have.length(1);
  });
});

describe('a place in a body', () => {
  for (const [pointer, place] of [
    ['/metrics/3/yes', 'metrics[3].yes'],
    ['/bucket/toggles/*/yes', 'bucket.toggles.*.yes'],
    ['/0/name', '[0].name'],
    ['', ''],
  ] as const)
    it(`is ${place === '' ? 'empty' : place} for ${pointer === '' ? 'the whole body' : pointer}`, () => {
      expect(placeInBody(pointer)).to.equal(place);
    });

  it('has at most 200 characters', () => {
    expect(placeInBody('/connectedEdges/0'.repeat(100))).to.have.length(200);
  });
});

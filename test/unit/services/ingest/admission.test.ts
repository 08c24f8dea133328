import { expect } from 'chai';
import fc from 'fast-check';
import { Admission } from '../../../../services/ingest/bodies/admission.ts';

const OWNERS = ['one', 'two', 'three', 'four', 'five'];

describe('Admission', () => {
  it('gives an owner room for exactly a quarter of all bytes', () => {
    const room = new Admission({ maxBytes: 400, maxRequests: 10 }).reserve('one', 0);
    expect([room?.add(60), room?.add(41), room?.add(40), room?.add(1)]).to.deep.equal([
      true,
      false,
      true,
      false,
    ]);
  });

  it('gives an owner room for exactly a quarter of all requests, however small', () => {
    const admission = new Admission({ maxBytes: 400, maxRequests: 8 });
    const rooms = [1, 2, 3].map(() => admission.reserve('one', 0) !== undefined);
    expect(rooms).to.deep.equal([true, true, false]);
  });

  it('gives all owners together exactly the configured bytes and requests', () => {
    const admission = new Admission({ maxBytes: 402, maxRequests: 5 });
    const rooms = [...OWNERS, 'six'].map((owner) => admission.reserve(owner, 0));
    expect(rooms.map((room) => room?.add(100))).to.deep.equal([true, true, true, true, false, undefined]);
    expect(admission.bytes).to.equal(400);
  });

  it("keeps the other owners' room free, and reports the owner that is closest to its limit", () => {
    const admission = new Admission({ maxBytes: 400, maxRequests: 8 });
    admission.reserve('one', 0)?.add(100);
    expect(admission.reserve('one', 1)).to.equal(undefined);
    expect(admission.reserve('two', 0)?.add(50)).to.equal(true);
    expect(admission.largestShare()).to.equal(1);
  });

  it('rejects a request that declares more than there is, and reserves nothing for it', () => {
    const admission = new Admission({ maxBytes: 400, maxRequests: 1 });
    expect(admission.reserve('one', 101)).to.equal(undefined);
    expect([admission.bytes, admission.requests]).to.deep.equal([0, 0]);
    expect(admission.reserve('one', 100)).not.to.equal(undefined);
    expect([admission.bytes, admission.requests]).to.deep.equal([0, 1]);
  });

  it('lets a request grow while there is room, and never shrinks it', () => {
    const admission = new Admission({ maxBytes: 400, maxRequests: 8 });
    const room = admission.reserve('one', 0);
    expect([room?.grow(100), room?.grow(101), room?.grow(5)]).to.deep.equal([true, false, true]);
    expect(admission.bytes).to.equal(100);
  });

  it('is empty when everything is released, in any order and repeatedly, and never exceeds its limits', () => {
    const step = fc.record({
      owner: fc.constantFrom(...OWNERS),
      add: fc.nat(20),
      growTo: fc.nat(40),
      releases: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const admission = new Admission({ maxBytes: 120, maxRequests: 8 });
        const rooms = steps.map(({ owner, add, growTo, releases }) => {
          const room = admission.reserve(owner, add);
          room?.add(add);
          room?.grow(growTo);
          expect(admission.bytes).to.be.at.most(120);
          expect(admission.requests).to.be.at.most(8);
          expect(admission.largestShare()).to.be.at.most(1);
          for (let i = 0; i < releases; i += 1) room?.release();
          return room;
        });
        for (const room of rooms) room?.release();
        expect([admission.bytes, admission.requests, admission.largestShare()]).to.deep.equal([0, 0, 0]);
      }),
    );
  });
});

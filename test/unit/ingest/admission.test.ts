import { expect } from 'chai';
import fc from 'fast-check';
import { Admission } from '../../../services/ingest/admission.ts';

describe('Admission', () => {
  it('gives room for exactly its bytes', () => {
    const admission = new Admission({ maxBytes: 100, maxRequests: 10 });
    expect(admission.reserve(60)).not.to.equal(undefined);
    expect(admission.reserve(41)).to.equal(undefined);
    expect(admission.reserve(40)).not.to.equal(undefined);
  });

  it('gives room for exactly its requests, however small', () => {
    const admission = new Admission({ maxBytes: 100, maxRequests: 2 });
    expect([0, 0, 0].map((bytes) => admission.reserve(bytes) !== undefined)).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it('takes nothing for a request that it turns away', () => {
    const admission = new Admission({ maxBytes: 100, maxRequests: 1 });
    admission.reserve(101);
    expect([admission.bytes, admission.requests]).to.deep.equal([0, 0]);
  });

  it('lets a request grow while there is room, and never shrinks it', () => {
    const admission = new Admission({ maxBytes: 100, maxRequests: 2 });
    const room = admission.reserve(10);
    expect([room?.grow(100), room?.grow(101), room?.grow(5)]).to.deep.equal([true, false, true]);
    expect(admission.bytes).to.equal(100);
  });

  it('is empty when everything is released, in any order and any number of times, and never over its limits', () => {
    const step = fc.record({ bytes: fc.nat(50), growTo: fc.nat(80), releases: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const admission = new Admission({ maxBytes: 120, maxRequests: 4 });
        const rooms = steps.map(({ bytes, growTo, releases }) => {
          const room = admission.reserve(bytes);
          room?.grow(growTo);
          expect(admission.bytes).to.be.at.most(120);
          expect(admission.requests).to.be.at.most(4);
          for (let i = 0; i < releases; i += 1) room?.release();
          return room;
        });
        for (const room of rooms) room?.release();
        expect([admission.bytes, admission.requests]).to.deep.equal([0, 0]);
      }),
    );
  });
});

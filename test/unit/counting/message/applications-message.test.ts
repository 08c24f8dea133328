import { expect } from 'chai';
import fc from 'fast-check';
import { decodeRegistrations, encodeRegistrations, registrationOf } from '#counting';
import { batches } from '../../../support/builders/arbitraries.ts';
import { RECEIVED_AT, anApplication, bytesOf, aggregate } from '../../../support/builders/builders.ts';

const REGISTRATION = registrationOf(anApplication({ strategies: ['default'] }), RECEIVED_AT);
const NO_REGISTRATIONS: readonly (readonly [title: string, members: Record<string, unknown>])[] = [
  ['without an appName', { appName: undefined }],
  ['with an empty appName', { appName: '' }],
  ['with NUL in its environment', { environment: 'a\u0000' }],
  ['with a lone surrogate in its instanceId', { instanceId: '\ud800' }],
  ['with null as sdkVersion', { sdkVersion: null }],
  ['with a number as sdkType', { sdkType: 7 }],
  ['with a text for its strategies', { strategies: 'default' }],
  ['with null among its projects', { projects: [null] }],
  ['with half a millisecond', { seenAt: 0.5 }],
  ['from before 1970', { seenAt: -1 }],
  ['from a year that no date can have', { seenAt: 8.64e15 + 1 }],
  ['with an environment of more than 100 characters', { environment: 'e'.repeat(101) }],
  ['with an interval of more than a week', { intervalMs: 604_800_001 }],
];

describe('registrationOf', () => {
  for (const absent of ['', null]) {
    it(`writes default for an environment and an instance that are ${JSON.stringify(absent)}`, () => {
      const application = anApplication({ environment: absent, instanceId: absent });
      const registration = registrationOf(application, RECEIVED_AT);
      expect(registration).to.include({ environment: 'default', instanceId: 'default' });
    });

    it(`treats ${JSON.stringify(absent)} as an absent sdkVersion and sdkType`, () => {
      const registration = registrationOf(
        anApplication({ sdkVersion: absent, sdkType: absent }),
        RECEIVED_AT,
      );
      expect(registration).to.include({ sdkVersion: undefined, sdkType: undefined });
    });
  }

  it('treats null as empty strategies and projects', () => {
    const registration = registrationOf(anApplication({ strategies: null, projects: null }), RECEIVED_AT);
    expect(registration).to.deep.include({ strategies: [], projects: [] });
  });
});

describe('encodeRegistrations and decodeRegistrations', () => {
  it('preserve the applications of any batch', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const registrations = aggregate(batch).applications.map((item) => registrationOf(item, RECEIVED_AT));
        const result = decodeRegistrations(bytesOf(encodeRegistrations(registrations)));
        expect(JSON.stringify(result)).to.equal(JSON.stringify({ registrations }));
      }),
    );
  });

  for (const member of ['strategies', 'projects']) {
    it(`preserve an application with an empty text among its ${member}`, () => {
      const { applications } = aggregate({
        applications: [anApplication({ [member]: ['', 'default'] })],
        metrics: [],
      });
      const registrations = applications.map((item) => registrationOf(item, RECEIVED_AT));
      expect(decodeRegistrations(bytesOf(encodeRegistrations(registrations)))).not.to.have.property(
        'problem',
      );
    });
  }
});

describe('decodeRegistrations', () => {
  it('rejects a message without a value', () => {
    expect(decodeRegistrations(null)).to.deep.equal({ problem: 'no value' });
  });

  it('rejects another version', () => {
    const json = JSON.stringify({ v: 2, registrations: [] });
    expect(decodeRegistrations(bytesOf(json))).to.deep.equal({ problem: 'unknown version' });
  });

  it('rejects a message without registrations', () => {
    expect(decodeRegistrations(bytesOf('{"v":1}'))).to.deep.equal({ problem: 'no registrations' });
  });

  for (const [title, members] of NO_REGISTRATIONS) {
    it(`rejects a registration ${title}`, () => {
      const json = JSON.stringify({ v: 1, registrations: [REGISTRATION, { ...REGISTRATION, ...members }] });
      expect(decodeRegistrations(bytesOf(json))).to.deep.equal({ problem: 'bad registration' });
    });
  }

  it('rejects every truncation', () => {
    const bytes = bytesOf(encodeRegistrations([REGISTRATION]));
    const truncated = Array.from(bytes, (_, length) => decodeRegistrations(bytes.subarray(0, length)));
    expect(truncated.filter((result) => 'registrations' in result)).to.deep.equal([]);
  });

  it('never throws and never accepts arbitrary bytes or JSON', () => {
    const values = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(bytesOf));
    fc.assert(
      fc.property(values, (value) => {
        expect(decodeRegistrations(value)).to.have.property('problem');
      }),
    );
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import {
  contentOfRegistration,
  decodeRegistrations,
  encodeRegistrations,
  registrationOf,
} from '#core/counting';
import { batches } from '../../../../support/builders/arbitraries.ts';
import { RECEIVED_AT, anApplication, bytesOf, aggregate } from '../../../../support/builders/builders.ts';

const REGISTRATION = registrationOf(anApplication({ strategies: ['default'] }), RECEIVED_AT);
const NO_REGISTRATIONS: readonly (readonly [title: string, members: Record<string, unknown>])[] = [
  ['without an appName', { appName: undefined }],
  ['with an empty appName', { appName: '' }],
  ['with NUL in its environment', { environment: 'a\u0000' }],
  ['with a lone surrogate in its instanceId', { instanceId: '\ud800' }],
  ['with null as sdkVersion', { sdkVersion: null }],
  ['with a number as sdkType', { sdkType: 7 }],
  ['with NUL in its platformName', { platformName: 'a\u0000' }],
  ['with an empty platformVersion', { platformVersion: '' }],
  ['with null as yggdrasilVersion', { yggdrasilVersion: null }],
  ['with a text for its relays', { connectVia: 'edge' }],
  ['with null among its relays', { connectVia: [null] }],
  ['with a wrong relay behind another', { connectVia: [{ appName: 'edge', instanceId: 'one' }, {}] }],
  ['with a negative start', { startedAt: -1 }],
  ['with an interval of nothing', { intervalMs: 0 }],
  ['with a relay without an instance', { connectVia: [{ appName: 'edge' }] }],
  ['with a relay whose name is empty', { connectVia: [{ appName: '', instanceId: 'one' }] }],
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

  const WEEK_MS = 604_800_000;
  for (const [sdkVersion, interval, kept] of [
    ['unleash-client-python:6.8.0', 300, 300_000],
    ['unleash-python-sdk:7.0.0', 60, 60_000],
    ['unleash-client-java:12.2.3', 60, 60_000],
    ['unleash-java-sdk:13.0.0', 5000, 5_000_000],
    ['unleash-client-go:4.1.0', 60, 60_000],
    ['unleash-go-sdk:5.0.0', 0.2, 200],
    ['unleash-edge:20.1.0', 15, 15_000],
    ['Unleash-Client-Python', 604_800, WEEK_MS],
    ['unleash-client-python:6.8.0', 604_801, undefined],
    ['unleash-node-sdk:6.12.1', 2000, 2000],
    ['unleash-client-node:5.6.1', 60_000, 60_000],
    ['unleash-dotnet-sdk:6.0.0', 1000, 1000],
    ['unleash-client-dotnet:4.1.9', 1000, 1000],
    ['unleash-client-ruby:6.4.0', 3000, 3000],
    ['unleash-client-php:2.9.0', 3000, 3000],
    ['unleash-rust-sdk:0.17.0', 500, 500],
    ['unleash_ex:1.10.0', 600_000, 600_000],
    ['my-unleash-client-java:1', 3599, 3_599_000],
    ['node:7', 15_000, 15_000],
    [null, 15_000, 15_000],
    [null, 3600, 3600],
    [null, 3599, 3_599_000],
    [null, 0.0002, 1],
    [null, 60, 60_000],
    ['', WEEK_MS, WEEK_MS],
    [null, WEEK_MS + 1, undefined],
    [null, 0, undefined],
    [null, -1, undefined],
    [null, null, undefined],
  ] as const)
    it(`keeps ${kept ?? 'no'} ms of an interval of ${interval} from the SDK ${sdkVersion}`, () => {
      const registration = registrationOf(anApplication({ sdkVersion, interval }), RECEIVED_AT);
      expect(registration.intervalMs).to.equal(kept);
    });

  for (const [started, kept] of [
    ['1970-01-01T00:00:00Z', 0],
    ['2026-11-21T10:00:00Z', Date.UTC(2026, 10, 21, 10)],
    ['1969-12-31T23:59:59Z', undefined],
    ['yesterday', undefined],
    [null, undefined],
  ] as const)
    it(`keeps ${kept ?? 'nothing'} of the start ${started}`, () => {
      expect(registrationOf(anApplication({ started }), RECEIVED_AT).startedAt).to.equal(kept);
    });

  it('treats null as empty strategies and projects', () => {
    const registration = registrationOf(anApplication({ strategies: null, projects: null }), RECEIVED_AT);
    expect(registration).to.deep.include({ strategies: [], projects: [] });
  });
});

describe('the platform and the relays of a registration', () => {
  it('are those of the application', () => {
    const platform = { platformName: 'node', platformVersion: 'v22.9.0', yggdrasilVersion: '0.17.3' };
    const connectVia = [
      { appName: 'edge', instanceId: 'one' },
      { appName: 'edge', instanceId: 'two' },
    ];
    const registration = registrationOf(anApplication({ ...platform, connectVia }), RECEIVED_AT);
    expect(registration).to.deep.include({ ...platform, connectVia });
  });

  for (const value of [undefined, null, '', 7, {}, ['node']])
    it(`are absent instead of ${JSON.stringify(value)}`, () => {
      const application = anApplication({
        platformName: value,
        platformVersion: value,
        yggdrasilVersion: value,
      });
      expect(contentOfRegistration(registrationOf(application, 0))).to.equal(
        contentOfRegistration(registrationOf(anApplication(), 0)),
      );
    });

  it('leave out relays without a name and unknown members, and name an absent instance default', () => {
    const connectVia = [
      { appName: '', instanceId: 'nameless' },
      { appName: 'edge', instanceId: '', version: '20.1.0' },
    ];
    const registration = registrationOf(anApplication({ connectVia }), RECEIVED_AT);
    expect(registration.connectVia).to.deep.equal([{ appName: 'edge', instanceId: 'default' }]);
  });

  it('are undefined if there is no relay', () => {
    for (const connectVia of [null, [], [{ appName: '', instanceId: 'one' }]])
      expect(registrationOf(anApplication({ connectVia }), RECEIVED_AT).connectVia).to.equal(undefined);
  });
});

describe('contentOfRegistration', () => {
  it('differs by every member but the time', () => {
    const content = contentOfRegistration(REGISTRATION);
    expect(contentOfRegistration({ ...REGISTRATION, seenAt: 1 })).to.equal(content);
    for (const members of [{ appName: 'other' }, { startedAt: 1 }, { strategies: [] }])
      expect(contentOfRegistration({ ...REGISTRATION, ...members })).not.to.equal(content);
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
  it('accepts a message of the version that kept no platform and no relays', () => {
    const { platformName, platformVersion, yggdrasilVersion, connectVia, ...earlier } = REGISTRATION;
    expect([platformName, platformVersion, yggdrasilVersion, connectVia]).to.deep.equal(
      Array(4).fill(undefined),
    );
    const json = JSON.stringify({ v: 1, registrations: [earlier] });
    expect(decodeRegistrations(bytesOf(json))).to.have.property('registrations');
  });

  it('rejects a message without a value', () => {
    expect(decodeRegistrations(null)).to.deep.equal({ problem: 'no value' });
  });

  it('accepts values at their limits', () => {
    for (const members of [
      { environment: 'e'.repeat(100) },
      { intervalMs: 1 },
      { intervalMs: 604_800_000 },
      { startedAt: 0 },
      { seenAt: 0 },
      { seenAt: 8.64e15 },
    ]) {
      const json = JSON.stringify({ v: 1, registrations: [{ ...REGISTRATION, ...members }] });
      expect(decodeRegistrations(bytesOf(json)), json).to.have.property('registrations');
    }
  });

  it('rejects what is not JSON in UTF-8', () => {
    const invalid = Buffer.from('{"v":1,"registrations":[],"\xff":1}', 'latin1');
    for (const value of [bytesOf('{"v":1'), invalid])
      expect(decodeRegistrations(value)).to.deep.equal({ problem: 'not JSON' });
  });

  it('rejects registrations that are no list, or no objects', () => {
    const problemOf = (registrations: string) =>
      decodeRegistrations(bytesOf(`{"v":1,"registrations":${registrations}}`));
    expect(problemOf('{}')).to.deep.equal({ problem: 'no registrations' });
    for (const registrations of ['[null]', '[7]', '["a"]'])
      expect(problemOf(registrations)).to.deep.equal({ problem: 'bad registration' });
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

import { expect } from 'chai';
import fc from 'fast-check';
import { type Registration, registrationOf } from '#core/counting';
import {
  KnownRegistrations,
  MAX_KNOWN_REGISTRATIONS,
} from '../../../../../services/ingest/publish/known-registrations.ts';

const MINUTE_MS = 60_000;
/** The beginning of a minute. */
const START = 29_000_000 * MINUTE_MS;

describe('known registrations', () => {
  let known: KnownRegistrations;
  beforeEach(() => {
    known = new KnownRegistrations();
  });

  it('are those that Kafka has acknowledged', () => {
    const shop = aRegistration({ appName: 'shop' });
    const first = known.select('token', [shop]);
    expect(known.select('token', [shop]).unknown).to.deep.equal([shop]);
    first.remember();
    expect(known.select('token', [shop]).unknown).to.deep.equal([]);
  });

  it('are left out, while the others of the same batch stay', () => {
    const [shop, till] = ['shop', 'till'].map((appName) => aRegistration({ appName }));
    if (shop === undefined || till === undefined) throw new Error('there are two');
    known.select('token', [shop]).remember();
    expect(known.select('token', [till, shop]).unknown).to.deep.equal([till]);
    known.select('token', [till, shop]).remember();
    expect(known.select('token', [shop, till]).unknown).to.deep.equal([]);
  });

  it('are known until the end of their clock minute, by the time of receipt', () => {
    known.select('token', [aRegistration({}, START)]).remember();
    const isKnownAt = (at: number) => known.select('token', [aRegistration({}, at)]).unknown.length === 0;
    expect([START, START + MINUTE_MS - 1, START + MINUTE_MS, START - 1].map(isKnownAt)).to.deep.equal([
      true,
      true,
      false,
      false,
    ]);
  });

  it('are forgotten when another minute begins, and a late acknowledgement does not bring them back', () => {
    const late = known.select('token', [aRegistration({ appName: 'late' })]);
    known.select('token', [aRegistration({ appName: 'early' })]).remember();
    known.select('token', [aRegistration({}, START + MINUTE_MS)]).remember();
    late.remember();
    expect(known.size).to.equal(1);
  });

  it('are forgotten on request, also those whose message was on its way', () => {
    const shop = aRegistration({ appName: 'shop' });
    known.select('token', [shop]).remember();
    const onItsWay = known.select('token', [aRegistration({ appName: 'till' })]);
    known.forget();
    onItsWay.remember();
    expect(known.size).to.equal(0);
    expect(known.select('token', [shop]).unknown).to.deep.equal([shop]);
  });

  it('are recognised by the bytes of the body that they came in, by their token and within their minute', () => {
    const rest = Buffer.from('{"applications":[{"appName":"app"}],"metrics":[]}');
    const registrations = [aRegistration(), aRegistration({ appName: 'other' })];
    const applicationsIn = (token: string, at: number) => known.recognise(token, at, rest).applications;
    const first = known.select('token', registrations, known.recognise('token', START, rest));
    expect(applicationsIn('token', START)).to.equal(undefined);
    first.remember();
    expect(applicationsIn('token', START + MINUTE_MS - 1)).to.equal(2);
    expect(applicationsIn('other', START)).to.equal(undefined);
    expect(applicationsIn('token', START + MINUTE_MS)).to.equal(undefined);
    known.forget();
    expect(applicationsIn('token', START)).to.equal(undefined);
  });

  it('are none in a body without applications, which is recognised too', () => {
    const rest = Buffer.from('{"applications":[],"metrics":[]}');
    known.select('token', [], known.recognise('token', START, rest)).remember();
    expect(known.recognise('token', START, rest).applications).to.equal(0);
  });

  it('differ in the token and in each member', () => {
    const members: Partial<Registration>[] = [
      {},
      { appName: 'other' },
      { environment: 'other' },
      { instanceId: 'other' },
      { sdkVersion: 'other' },
      { sdkType: 'other' },
      { platformName: 'other' },
      { platformVersion: 'other' },
      { yggdrasilVersion: 'other' },
      { connectVia: [{ appName: 'edge', instanceId: 'one' }] },
      { connectVia: [{ appName: 'edge', instanceId: 'other' }] },
      { intervalMs: 1 },
      { strategies: ['other'] },
      { projects: ['other'] },
      { projects: ['other', 'another'] },
    ];
    for (const given of members) {
      known.select('token', [aRegistration(given)]).remember();
      expect(known.select('other token', [aRegistration(given)]).unknown).to.have.length(1);
    }
    expect(known.size).to.equal(members.length);
  });

  it('are never taken for others, whatever their names', () => {
    const name = fc.constantFrom('a', 'b', 'a","b', '\\', '"', '\n', 'a\nb', '1', '');
    const list = fc.array(name, { maxLength: 2 });
    const any = fc.record({
      token: fc.constantFrom('1', '2', '1\n', 'a'),
      registration: fc.record({
        appName: name,
        environment: name,
        instanceId: name,
        sdkVersion: fc.option(name, { nil: undefined }),
        strategies: list,
        projects: list,
      }),
    });
    fc.assert(
      fc.property(any, any, (one, other) => {
        const isEqual = JSON.stringify(one) === JSON.stringify(other);
        const fresh = new KnownRegistrations();
        fresh.select(one.token, [aRegistration(one.registration)]).remember();
        const { unknown } = fresh.select(other.token, [aRegistration(other.registration)]);
        expect(unknown).to.have.length(isEqual ? 0 : 1);
      }),
    );
  });

  it('are bounded, a quarter for one token: beyond the bound each needs a message', () => {
    const many = Array.from({ length: MAX_KNOWN_REGISTRATIONS + 1 }, (_, index) =>
      aRegistration({ instanceId: `${index}` }),
    );
    const share = MAX_KNOWN_REGISTRATIONS / 4;
    for (const [index, token] of ['one', 'two', 'three', 'four', 'five'].entries()) {
      known.select(token, many.slice(0, share + 1)).remember();
      expect(known.size).to.equal(Math.min(4, index + 1) * share);
    }
    expect(known.select('one', many.slice(0, share + 1)).unknown).to.deep.equal([many[share]]);
  });
});

function aRegistration(given: Partial<Registration> = {}, seenAt = START): Registration {
  return { ...registrationOf({ appName: 'app' }, seenAt), ...given };
}

import { expect } from 'chai';
import { createRandom } from '#tooling/traffic';
import { type Relay, createRelay, failuresAfter, pushResultOf } from '../../../../tools/relay/index.ts';
import { aClock, aTransport } from './builders.ts';

const AT = Date.UTC(2026, 10, 21, 10, 15);
const ONE_YES = { featureName: 'f', appName: 'a', environment: 'production', at: AT, yes: 1 };

function aRelay(transport: ReturnType<typeof aTransport>, clock = aClock()): Relay {
  const tokens = { production: 'secret' };
  return createRelay({ url: 'http://relay.test', tokens, random: createRandom(7), clock, transport });
}

describe('a relay', () => {
  it('repeats the same bytes up to five times, after growing pauses', async () => {
    const clock = aClock();
    const transport = aTransport('nothing');
    const relay = aRelay(transport, clock);
    relay.record(ONE_YES);
    await relay.push();
    expect(transport.bodies).to.have.lengthOf(6);
    expect(new Set(transport.bodies)).to.have.property('size', 1);
    const [delivery] = relay.ledger.deliveries;
    expect(delivery?.outcome).to.equal('unknown');
    expect(delivery?.attempts).to.have.lengthOf(6);
    expect(clock.pausesMs).to.have.lengthOf(5);
    for (const [index, minMs] of [50, 100, 200, 400, 800].entries()) {
      expect(clock.pausesMs[index]).to.be.within(minMs, minMs * 1.2);
    }
  });

  it('merges a batch without an answer into the next push', async () => {
    const transport = aTransport(...Array.from({ length: 6 }, () => 'nothing' as const), 202);
    const relay = aRelay(transport);
    relay.record(ONE_YES);
    await relay.push();
    relay.record(ONE_YES);
    await relay.push();
    expect(relay.ledger.acknowledged()).to.have.nested.property('[0].yes', 2);
  });

  it('is acknowledged if only the first answer was lost', async () => {
    const relay = aRelay(aTransport('nothing', 202));
    relay.record(ONE_YES);
    await relay.push();
    const [delivery] = relay.ledger.deliveries;
    expect(delivery?.outcome).to.equal('acknowledged');
    expect(delivery?.attempts.map(({ status }) => status)).to.deep.equal([undefined, 202]);
  });

  it('sends the applications with every environment', async () => {
    const transport = aTransport(202);
    const tokens = { production: 'one', development: 'two' };
    const relay = createRelay({ url: '', tokens, random: createRandom(7), clock: aClock(), transport });
    relay.register({ appName: 'a', instanceId: 'i', startedAt: AT });
    relay.record(ONE_YES);
    relay.record({ ...ONE_YES, environment: 'development' });
    await relay.push();
    expect(relay.ledger.deliveries.map(({ applications }) => applications)).to.deep.equal([1, 1]);
  });

  it('drops metrics for which it has no token', async () => {
    const transport = aTransport(202);
    const relay = aRelay(transport);
    relay.record({ ...ONE_YES, environment: 'staging' });
    await relay.push();
    expect(transport.bodies).to.deep.equal([]);
    expect(relay.ledger.deliveries.map(({ outcome }) => outcome)).to.deep.equal(['dropped']);
  });

  it('flushes on the signal', async () => {
    const transport = aTransport(202);
    const relay = aRelay(transport);
    relay.record(ONE_YES);
    await relay.run(60_000, AbortSignal.abort());
    expect(relay.ledger.acknowledged()).to.have.lengthOf(1);
  });

  it('is reproducible', () => {
    expect(aRelay(aTransport(202)).connectionId).to.equal(aRelay(aTransport(202)).connectionId);
    expect(aRelay(aTransport(202)).connectionId).to.match(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('writes the members of a body in the order of Edge, unknown ones as null', async () => {
    const transport = aTransport(202);
    const relay = aRelay(transport);
    relay.register({ appName: 'a', startedAt: AT + 5 });
    relay.record({ ...ONE_YES, variants: { blue: 1 } });
    relay.seeToken('production', '*:production.secret');
    await relay.push();
    const { connectionId } = relay;
    const nulls =
      '"sdkVersion":null,"sdkType":null,"yggdrasilVersion":null,"platformName":null,"platformVersion":null';
    expect(transport.bodies).to.deep.equal([
      `{"applications":[{"appName":"a","connectVia":[{"appName":"unleash-edge","instanceId":"${connectionId}"}],` +
        '"environment":null,"instanceId":null,"connectionId":null,"interval":15000,' +
        `"started":"2026-11-21T10:15:00.005Z","strategies":[],${nulls}}],` +
        '"metrics":[{"featureName":"f","appName":"a","environment":"production",' +
        `"timestamp":"2026-11-21T10:15:00Z","yes":1,"no":0,"variants":{"blue":1},${nulls}}],` +
        '"seenTokens":["*:production.secret"]}',
    ]);
  });

  it('writes impact metrics after the metrics, in the order of Edge', async () => {
    const transport = aTransport(202);
    const relay = aRelay(transport);
    const samples = [{ value: 3, labels: { appName: 'web-shop' } }];
    relay.addImpact('production', { samples, help: 'orders placed', name: 'orders', type: 'counter' });
    await relay.push();
    expect(transport.bodies).to.deep.equal([
      '{"applications":[],"metrics":[],"impactMetrics":[{"type":"counter","name":"orders","help":"orders placed",' +
        '"samples":[{"value":3,"labels":{"appName":"web-shop"}}]}]}',
    ]);
  });
});

describe('pushResultOf', () => {
  it('returns what a relay does with a batch after each answer', () => {
    const results = [200, 202, 400, 401, 403, 404, 408, 413, 415, 429, 500, 503].map(pushResultOf);
    expect(results.slice(0, 2)).to.deep.equal(['acknowledged', 'acknowledged']);
    expect(results.slice(2, 6)).to.deep.equal(Array(4).fill('dropped'));
    expect(results.slice(6)).to.deep.equal([
      'merged-back',
      'dropped',
      ...Array<string>(4).fill('merged-back'),
    ]);
  });
});

describe('failuresAfter', () => {
  it('waits ten intervals after a failure, one more after each further one, and one less after each success', () => {
    expect(failuresAfter(0, 503)).to.equal(10);
    expect(failuresAfter(10, 503)).to.equal(11);
    expect(failuresAfter(11, 202)).to.equal(10);
    expect(failuresAfter(0, 202)).to.equal(0);
    expect(failuresAfter(0, 400)).to.equal(0);
    expect(failuresAfter(12, 401)).to.equal(10);
  });
});

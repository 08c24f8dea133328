import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { attackedIngest } from '../../support/attacks/attacked-ingest.ts';
import { logsBody } from '../../support/senders/otlp/otlp-bodies.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';

const NOW = BigInt(Date.now()) * 1_000_000n;
const NAME = 'feature_flag.evaluation';
const MIB = 1024 * 1024;
/** Compiled code and caches. In full, the names of these senders take 31 MiB. */
const MAX_KEPT = 15 * MIB;
const WARM_UP = 10;

describe('a sender whose name is as long as it may be', () => {
  const attacked = attackedIngest();

  const sendAsInstance = async (number: number): Promise<void> => {
    const resource = { 'service.instance.id': String(number).padEnd(900_000, 'x') };
    const records = [NOW, NOW + 1_000_000n].map((time) => ({
      time,
      name: NAME,
      attributes: { 'feature_flag.key': 'basket' },
    }));
    const { status } = await post(attacked.ingest, {
      path: '/v1/logs',
      contentType: 'application/x-protobuf',
      headers: { 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(logsBody([{ resource, records }]).protobuf)),
    });
    expect(status).to.equal(200);
  };
  const sendAs = async (header: string, number: number): Promise<void> => {
    const timestamp = new Date().toISOString();
    const { status } = await post(attacked.ingest, {
      headers: {
        'user-agent': 'unleash-edge-20.4.1',
        'unleash-appname': 'edge',
        [header]: String(number).padEnd(14_000, 'x'),
      },
      body: bodyOf({ metrics: [aFreshMetric({ timestamp })] }),
    });
    expect(status).to.equal(202);
  };

  it('is kept as a hash', async () => {
    for (let number = 0; number < WARM_UP; number += 1) await sendAsInstance(number);
    const before = await attacked.ingest.readHeldMemory();
    for (let number = 0; number < 30; number += 1) await sendAsInstance(WARM_UP + number);
    for (const header of ['idempotency-key', 'unleash-connection-id', 'unleash-instanceid'])
      for (let number = 0; number < 100; number += 1) await sendAs(header, number);
    expect((await attacked.ingest.readHeldMemory()) - before).to.be.lessThan(MAX_KEPT);
  });
});

import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { expect } from 'chai';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { type Encoded, logsBody, tracesBody } from '../../../support/senders/otlp/otlp-bodies.ts';
import { post } from '../../../support/requests/post.ts';
import { sharedCounting, usageOf } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

const PROTOBUF = 'application/x-protobuf';
const NOW = BigInt(Date.now()) * 1_000_000n;

describe('OTLP with unusual names', () => {
  const world = sharedWorld();
  const ingest = sharedCounting(world);
  after(() => world.settled());

  const send = (path: string, { protobuf }: Encoded) =>
    post(ingest, { path, contentType: PROTOBUF, body: protobuf });

  it('counts records without their name, and spans that are evaluations', async () => {
    const attributes = { 'feature_flag.key': 'nameless', 'feature_flag.result.value': false };
    const logs = logsBody([{ records: [{ time: NOW, attributes }] }]);
    const spans = tracesBody([{ spans: [{ name: 'feature_flag.evaluation', time: NOW, attributes }] }]);
    expect((await send('/v1/logs', logs)).text).to.equal('');
    expect((await send('/v1/traces', spans)).text).to.equal('');
    await untilCounted(world);
    expect(await usageOf(world, 'nameless')).to.include({ yes: 0, no: 2 });
  });

  it('says what names a flag but is not counted, and refuses nothing because of it', async () => {
    const clear = { 'feature_flag.key': 'clear', 'feature_flag.result.value': true };
    const body = logsBody([
      {
        records: [
          { time: NOW, name: 'checkout', attributes: { 'feature_flag.key': 'unclear' } },
          { time: NOW, name: 'feature_flag.evaluation', attributes: clear },
        ],
      },
    ]);
    const errorMessage = '1 log records name a flag, but no result, and are not counted (name: checkout)';
    const { status, text } = await post(ingest, { path: '/v1/logs', body: body.json });
    expect([status, JSON.parse(text)]).to.deep.equal([
      200,
      { partialSuccess: { rejectedLogRecords: '0', errorMessage } },
    ]);
    const answer = await send('/v1/logs', body);
    const bytes = new Uint8Array(Buffer.from(answer.text, 'latin1'));
    expect(ProtobufLogsSerializer.deserializeResponse(bytes).partialSuccess).to.include({ errorMessage });
    await untilCounted(world);
    expect(await usageOf(world, 'clear')).to.include({ yes: 2, no: 0 });
  });
});

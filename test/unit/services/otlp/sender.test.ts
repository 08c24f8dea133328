import { expect } from 'chai';
import { keyOfSender, inOneGo } from '#core/counting';
import {
  type OtlpSignal,
  instanceOfBody,
  readOtlp,
} from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { RECEIVED_AT } from '../../../support/builders/builders.ts';
import {
  type LogsBody,
  type OtlpPoint,
  logsBody,
  metricsBody,
} from '../../../support/senders/otlp/otlp-bodies.ts';

const NOW = BigInt(RECEIVED_AT) * 1_000_000n;
const NAME = 'feature_flag.evaluation';
const INSTANCE = { 'service.instance.id': 'one' };

function senderOfBytes(signal: OtlpSignal, protobuf: Uint8Array): string | undefined {
  const found = inOneGo(readOtlp(signal, { protobuf }));
  if ('problem' in found) throw new Error(found.problem);
  return instanceOfBody(found);
}

function senderOf(body: LogsBody): string | undefined {
  return senderOfBytes('logs', logsBody(body).protobuf);
}

function senderOfPoint(point: OtlpPoint): string | undefined {
  const sum = { kind: 'sum', temporality: 1, isMonotonic: true } as const;
  const metrics = [{ ...sum, name: 'feature_flag.evaluations', points: [point] }];
  return senderOfBytes('metrics', metricsBody([{ resource: INSTANCE, metrics }]).protobuf);
}

describe('the sender of a body of OpenTelemetry', () => {
  const at = (time: bigint) => ({ time, name: NAME });

  it('is the instance, if the body has two of its times', () => {
    expect(senderOf([{ resource: INSTANCE, records: [at(NOW), at(NOW + 1_000_000n)] }])).to.equal(
      keyOfSender('otlp one'),
    );
  });

  it('is the instance, if a collector merged two of its times', () => {
    const records = [at(NOW)];
    const later = [at(NOW + 1_000_000n)];
    const other = { ...INSTANCE, 'service.name': 'shop' };
    expect(
      senderOf([
        { resource: INSTANCE, records },
        { resource: INSTANCE, records: later },
      ]),
    ).to.equal(keyOfSender('otlp one'));
    expect(
      senderOf([
        { resource: INSTANCE, records },
        { resource: other, records: later },
      ]),
    ).to.equal(undefined);
  });

  it('is unknown if the body can honestly come twice', () => {
    expect(senderOf([{ resource: INSTANCE, records: [at(NOW)] }])).to.equal(undefined);
    expect(senderOf([{ resource: INSTANCE, records: [at(NOW), at(NOW)] }])).to.equal(undefined);
    expect(senderOf([{ resource: INSTANCE, records: [at(0n), at(NOW)] }])).to.equal(undefined);
    expect(senderOf([{ records: [at(NOW), at(NOW + 1_000_000n)] }])).to.equal(undefined);
  });

  it('is unknown if one of the resources names no instance', () => {
    const records = [at(NOW), at(NOW + 1_000_000n)];
    expect(senderOf([{ resource: INSTANCE, records }, { records }])).to.equal(undefined);
  });

  it('is the instance of an interval of a counter', () => {
    const interval = { start: NOW - 60_000_000_000n, time: NOW, int: 1n };
    expect(senderOfPoint(interval)).to.equal(keyOfSender('otlp one'));
    expect(senderOfPoint({ time: NOW, int: 1n })).to.equal(undefined);
  });
});

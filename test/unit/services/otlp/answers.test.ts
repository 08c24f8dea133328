import { expect } from 'chai';
import { ProtobufLogsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { encodeStatus, encodeSuccess } from '../../../../services/ingest/opentelemetry/reading/index.ts';

const REJECTED = { count: 3, message: '3 of 5 evaluations are not counted.' };

describe('answers of OTLP', () => {
  it('are empty if everything was counted', () => {
    expect(encodeSuccess('logs', 'protobuf', undefined)).to.have.length(0);
    expect(encodeSuccess('logs', 'json', undefined).toString()).to.equal('{}');
  });

  it('report what was not counted, as exporters read it', () => {
    expect(
      ProtobufLogsSerializer.deserializeResponse(encodeSuccess('logs', 'protobuf', REJECTED)),
    ).to.deep.equal({
      partialSuccess: { rejectedLogRecords: 3, errorMessage: REJECTED.message },
    });
    expect(
      ProtobufMetricsSerializer.deserializeResponse(encodeSuccess('metrics', 'protobuf', REJECTED)),
    ).to.deep.equal({ partialSuccess: { rejectedDataPoints: 3, errorMessage: REJECTED.message } });
    expect(JSON.parse(encodeSuccess('traces', 'json', REJECTED).toString())).to.deep.equal({
      partialSuccess: { rejectedSpans: '3', errorMessage: REJECTED.message },
    });
  });

  it('are a status for an error', () => {
    expect(encodeStatus('json', 'no').toString()).to.equal('{"message":"no"}');
    expect([...encodeStatus('protobuf', 'no')]).to.deep.equal([0x12, 2, 0x6e, 0x6f]);
  });
});

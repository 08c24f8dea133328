import { expect } from 'chai';
import { withCamelNames } from '../../../../services/ingest/opentelemetry/camel-names.ts';

describe('the names of members in JSON of OTLP', () => {
  const renamed = (json: string): string => withCamelNames(Buffer.from(json)).toString();

  it('are those of the protocol if the body has those of its definition', () => {
    const body = {
      resource_logs: [{ scope_logs: [{ log_records: [{ time_unix_nano: '1', event_name: 'a' }] }] }],
    };
    expect(JSON.parse(renamed(JSON.stringify(body, null, 2)))).to.deep.equal({
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: '1', eventName: 'a' }] }] }],
    });
  });

  it('stay as they are in other bodies', () => {
    const json = '{"resourceLogs":[{"scope_logs":[]}]}';
    expect(renamed(json)).to.equal(json);
  });

  for (const value of ['event_name', '"event_name":', '\\', '\\"event_name"', 'é\u2028', '{"a_b" : 1}'])
    it(`leave the value ${value} alone`, () => {
      const body = JSON.stringify({ resource_logs: value, other: [value] });
      expect(JSON.parse(renamed(body))).to.deep.equal({ resourceLogs: value, other: [value] });
    });

  it('leave bytes alone that are no UTF-8', () => {
    const body = Buffer.from('{"resource_logs":"\u00ff"}', 'latin1');
    expect(withCamelNames(body).toString('latin1')).to.equal('{"resourceLogs":"\u00ff"}');
  });
});

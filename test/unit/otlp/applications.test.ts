import { expect } from 'chai';
import { applicationsOf, readOtlp } from '#otlp';
import { logsBody } from '../../support/otlp/otlp-bodies.ts';

describe('the applications of a body of OpenTelemetry', () => {
  it('have their instance and SDK', () => {
    const resource = {
      ...{
        'service.name': 'shop',
        'telemetry.sdk.name': 'opentelemetry',
        'telemetry.sdk.language': 'nodejs',
      },
      ...{ 'telemetry.sdk.version': '2.12.1', 'service.instance.id': 'one' },
    };
    const records = [{ name: 'feature_flag.evaluation' }];
    const { protobuf } = logsBody([{ resource, records }, { records: [{ name: 'other' }] }]);
    const found = readOtlp('logs', { protobuf });
    if ('problem' in found) throw new Error(found.problem);
    expect(applicationsOf(found, { environment: '*', projects: ['*'] })).to.deep.equal([
      {
        ...{ appName: 'shop', environment: 'default', instanceId: 'one' },
        ...{ sdkVersion: 'opentelemetry-nodejs:2.12.1', projects: ['*'] },
      },
    ]);
  });
});

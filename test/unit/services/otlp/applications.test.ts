import { expect } from 'chai';
import { applicationsOf } from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { logsBody } from '../../../support/senders/otlp/otlp-bodies.ts';
import { foundIn } from '../../../support/senders/otlp/otlp-evaluations.ts';

describe('the applications of a body of OpenTelemetry', () => {
  it('have their instance and SDK', () => {
    const resource = {
      'service.name': 'shop',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': '2.12.1',
      'service.instance.id': 'one',
    };
    const records = [{ name: 'feature_flag.evaluation' }];
    const { protobuf } = logsBody([{ resource, records }, { records: [{ name: 'other' }] }]);
    const found = foundIn('logs', protobuf);
    expect([...applicationsOf(found, { environment: '*', projects: ['*'] })]).to.deep.equal([
      {
        appName: 'shop',
        environment: 'default',
        instanceId: 'one',
        sdkVersion: 'opentelemetry-nodejs:2.12.1',
        projects: ['*'],
      },
    ]);
  });

  it('are one if several resources are of one instance', () => {
    const resource = (version: string) => ({ 'service.name': 'shop', 'service.instance.id': 'one', version });
    const records = [{ name: 'feature_flag.evaluation' }];
    const body = ['1', '2'].map((version) => ({ resource: resource(version), records }));
    const found = foundIn('logs', logsBody(body).protobuf);
    expect([...applicationsOf(found, { environment: '*', projects: [] })]).to.have.length(1);
  });
});

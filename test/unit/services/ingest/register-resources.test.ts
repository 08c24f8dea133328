import { expect } from 'chai';
import { registerResources } from '../../../../services/ingest/opentelemetry/register-resources.ts';
import { type AggregateOptions, DistinctNames } from '#core/counting';
import { aggregateOptions } from '../../../support/builders/builders.ts';
import { DEFAULT_NAME_LIMITS } from '../../../support/builders/name-limits.ts';
import { logsBody } from '../../../support/senders/otlp/otlp-bodies.ts';
import { foundIn } from '../../../support/senders/otlp/otlp-evaluations.ts';

const APPLICATIONS = 1000;
const MAX_MESSAGE_BYTES = 500_000;

describe('the applications of a body of OpenTelemetry', () => {
  const records = [{ name: 'feature_flag.evaluation', attributes: { key: 'basket' } }];
  const { protobuf } = logsBody(
    Array.from({ length: APPLICATIONS }, (_, index) => ({
      resource: { 'service.name': 'shop', 'service.instance.id': String(index) },
      records,
    })),
  );
  const found = foundIn('logs', protobuf);

  /** After how many steps they are accepted, or too many. */
  const register = (projects: number, options: Partial<AggregateOptions> = {}) => {
    const scope = {
      environment: '*',
      projects: Array.from({ length: projects }, (_, index) => `project-${index}`),
    };
    const steps = registerResources(found, { ...aggregateOptions(options), scope }, MAX_MESSAGE_BYTES);
    let count = 0;
    try {
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return { count, accepted: value.applications.length };
        count += 1;
      }
    } catch (error) {
      return { count, status: (error as { status: number }).status };
    }
  };

  it('are all accepted if their registrations fit into a message', () => {
    expect(register(10)).to.include({ accepted: APPLICATIONS });
  });

  it('are too many as soon as the projects of the token fill a message', () => {
    const { count, status } = register(500);
    expect(status).to.equal(413);
    expect(count).to.be.below(MAX_MESSAGE_BYTES / 5000);
  });

  it('are too many as soon as that, too, if the token has no room for their projects', () => {
    const names = new DistinctNames({ ...DEFAULT_NAME_LIMITS, project: 400 }).of('token', 0);
    const { count, status } = register(500, { names });
    expect(status).to.equal(413);
    expect(count).to.be.below(MAX_MESSAGE_BYTES / 5000);
  });
});

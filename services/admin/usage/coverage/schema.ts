import type { FromSchema } from 'json-schema-to-ts';
import { count, members, text } from '#base/schema';

const seconds = (description: string) => ({ type: 'number', minimum: 0, description }) as const;

export const coverageSchema = {
  title: 'Coverage',
  type: 'object',
  ...members({
    total: count('Applications in an environment with coverage.'),
    coverage: {
      type: 'array',
      items: {
        title: 'CoverageOfApplication',
        type: 'object',
        ...members({
          appName: text('The application.'),
          environment: text('Environment of its instances.'),
          instances: count('Instances of SDKs that posted directly.'),
          coveredSeconds: seconds('Time of the instances whose counts arrived.'),
          missingSeconds: seconds(
            'Time between their posts without counts: nothing was evaluated, or a post was lost.',
          ),
        }),
      },
    },
  }),
} as const;

export type Coverage = FromSchema<typeof coverageSchema>;

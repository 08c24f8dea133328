import type { SampleEnvironment } from './applications.ts';

export type SampleRelay = {
  readonly name: string;
  readonly environment: SampleEnvironment;
  readonly region: string;
  readonly version: string;
  readonly runsForHours: number;
  readonly requestsPerSecond: number;
  /** Of the configuration that it holds. */
  readonly revision: number;
  /** It reported last so many hours ago. */
  readonly silentForHours?: number;
  /** Relays in stores, which report to it. */
  readonly nested?: readonly Omit<SampleRelay, 'environment'>[];
};

const VERSION = '20.4.1';

/** One in each store, one that lacks the newest configuration, and one that fell silent. */
export const SAMPLE_RELAYS: readonly SampleRelay[] = [
  {
    name: 'production-1',
    environment: 'production',
    region: 'eu-west-1',
    version: VERSION,
    runsForHours: 75,
    requestsPerSecond: 850,
    revision: 412,
    nested: [
      {
        name: 'store-berlin',
        region: 'eu-west-1',
        version: '19.8.0',
        runsForHours: 900,
        requestsPerSecond: 4,
        revision: 412,
      },
      {
        name: 'store-paris',
        region: 'eu-west-1',
        version: VERSION,
        runsForHours: 30,
        requestsPerSecond: 6.3,
        revision: 412,
      },
    ],
  },
  {
    name: 'production-2',
    environment: 'production',
    region: 'us-east-1',
    version: VERSION,
    runsForHours: 310,
    requestsPerSecond: 155,
    revision: 405,
  },
  {
    name: 'development-1',
    environment: 'development',
    region: 'eu-west-1',
    version: VERSION,
    runsForHours: 52,
    requestsPerSecond: 2.4,
    revision: 96,
  },
  {
    name: 'staging-1',
    environment: 'staging',
    region: 'eu-west-1',
    version: VERSION,
    runsForHours: 140,
    requestsPerSecond: 0.8,
    revision: 88,
    silentForHours: 3,
  },
];

/** Every row of the sample in ClickHouse names one of these applications, so that queries can tell it from real data. */
export const SAMPLE_APPS = [
  'sample-android',
  'sample-api',
  'sample-ios',
  'sample-mailer',
  'sample-search',
  'sample-web',
] as const;

export type SampleApp = (typeof SAMPLE_APPS)[number];

type Shape = {
  /** Its part of the evaluations of a feature, beside the parts of other applications. */
  readonly weight: number;
  readonly sdkType: 'backend' | 'frontend';
  /** Instances in production run these SDKs in turn. */
  readonly sdkVersions: readonly [string, ...string[]];
  readonly platform: { readonly name: string; readonly version: string };
  /** The version of the evaluation engine in SDKs that use Yggdrasil. */
  readonly yggdrasilVersion?: string;
  /** Whether its instances report through the relays of the shop. */
  readonly isBehindRelay: boolean;
  readonly instances: number;
  /** Its first instance reported last so many hours ago. */
  readonly silentForHours?: number;
};

export const SHAPES: Readonly<Record<SampleApp, Shape>> = {
  'sample-android': {
    weight: 3,
    sdkType: 'frontend',
    sdkVersions: ['unleash-android:2.1.0', 'unleash-android:1.3.2'],
    platform: { name: 'android', version: '15' },
    isBehindRelay: true,
    instances: 4,
  },
  'sample-api': {
    weight: 5,
    sdkType: 'backend',
    sdkVersions: ['unleash-client-java:10.2.0'],
    platform: { name: 'java', version: '21.0.4' },
    yggdrasilVersion: '0.17.3',
    isBehindRelay: true,
    instances: 6,
  },
  'sample-ios': {
    weight: 4,
    sdkType: 'frontend',
    sdkVersions: ['unleash-ios:2.0.1'],
    platform: { name: 'ios', version: '18.1' },
    isBehindRelay: true,
    instances: 4,
  },
  'sample-mailer': {
    weight: 1,
    sdkType: 'backend',
    sdkVersions: ['unleash-client-node:6.4.1'],
    platform: { name: 'node', version: 'v20.18.0' },
    isBehindRelay: false,
    instances: 3,
    silentForHours: 14,
  },
  'sample-search': {
    weight: 4,
    sdkType: 'backend',
    sdkVersions: ['unleash-client-go:4.5.0'],
    platform: { name: 'go', version: 'go1.23.2' },
    isBehindRelay: true,
    instances: 3,
  },
  'sample-web': {
    weight: 6,
    sdkType: 'backend',
    sdkVersions: ['unleash-client-node:6.6.0'],
    platform: { name: 'node', version: 'v22.9.0' },
    isBehindRelay: true,
    instances: 5,
  },
};

export const SAMPLE_ENVIRONMENTS = ['development', 'production', 'staging'] as const;

export type SampleEnvironment = (typeof SAMPLE_ENVIRONMENTS)[number];

/** A name in the code of one application that is no feature: one letter of `checkout-express-pay` is missing. */
export const UNKNOWN_FLAG = {
  name: 'checkout-expres-pay',
  app: 'sample-android',
  peak: 150,
  sinceDaysAgo: 10,
} as const;

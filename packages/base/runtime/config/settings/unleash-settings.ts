import { limit, secret, tokens, whole } from './setting.ts';

/** Settings for running in front of Unleash. All others require UNLEASH_URL, except for UNLEASH_DATABASE_URL. */
export const unleashSettings = {
  UNLEASH_URL: {
    type: 'string',
    format: 'base-url',
    description:
      'http(s)://host:port of your Unleash, with its path prefix if it has one; flagmeter then runs in front of it',
  },
  UNLEASH_MAX_REQUESTS: limit(
    5000,
    { share: 'part, rounded down', min: 1, max: 1_000_000 },
    'requests and streams per process that flagmeter passes to Unleash at the same time',
  ),
  UNLEASH_ADMIN_TOKEN: secret(
    'ADMIN token of your Unleash, with which flagmeter ends deleted tokens sooner, copies the catalogue and passes changes of features on',
  ),
  UNLEASH_TOKENS_KEPT_HOURS: whole(
    24,
    { min: 1, max: 8760 },
    'how long a known token of Unleash stays valid while Unleash does not answer',
  ),
  ADMIN_PORT: whole(
    4243,
    { min: 0, max: 65_535 },
    'port of the admin API of `flagmeter start` with `UNLEASH_URL`; 0 chooses a free one',
  ),
  UNLEASH_MIRROR_TOKENS: {
    ...tokens('tokens'),
    description:
      'client tokens of Unleash, one for each environment whose counts flagmeter also sends to Unleash; comma separated, project:environment.secret',
  },
  UNLEASH_MIRROR: {
    type: 'boolean',
    default: true,
    description: 'false sends no counts to Unleash, even if `UNLEASH_MIRROR_TOKENS` is set',
  },
  UNLEASH_MIRROR_UNANSWERED: {
    type: 'string',
    enum: ['repeat', 'lose'],
    default: 'repeat',
    description:
      'what happens to counts without an answer of Unleash: with repeat it may count them twice, with lose it may lose them',
  },
  UNLEASH_DATABASE_URL: {
    type: 'string',
    format: 'postgres-url',
    description:
      'postgres://user:password@host/db of your Unleash, which only `flagmeter import-unleash` reads',
  },
} as const;

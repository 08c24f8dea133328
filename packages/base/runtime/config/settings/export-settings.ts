import { secret, text } from './setting.ts';

/** Settings that only `flagmeter export-usage` reads. */
export const exportSettings = {
  EXPORT_S3_URL: {
    type: 'string',
    format: 's3-url',
    description: 'http(s)://host/bucket/prefix for `flagmeter export-usage` without a directory',
  },
  EXPORT_S3_ACCESS_KEY_ID: {
    ...text('', 'access key for that bucket; empty for the credentials of the ClickHouse server'),
    format: 's3-credential',
  },
  EXPORT_S3_SECRET_ACCESS_KEY: { ...secret('secret of that access key'), format: 's3-credential' },
} as const;

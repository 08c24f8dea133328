import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type ExportedDay, exportToS3, streamExport } from '#core/clickhouse';
import { recordedClickHouse } from '../../../support/servers/upstream/clickhouse-server.ts';

const DAY = '2026-11-20';
const BUCKET = { url: 'https://s3.test/bucket/usage', credentials: undefined };

describe('an export of usage', () => {
  let trouble: string | undefined;

  const clickhouse = recordedClickHouse(() => trouble ?? [{ yes: 7 }]);
  beforeEach(() => {
    trouble = undefined;
  });

  const statement = () => clickhouse.statements.at(-1);

  const columns: [view: ExportedDay['view'], selected: string, order: string][] = [
    [
      'usage_by_hour',
      'hour, environment, feature_name, app_name, yes, no, unknown, reports',
      'hour, environment, feature_name, app_name',
    ],
    [
      'variants_by_hour',
      'hour, environment, feature_name, app_name, variant, count',
      'hour, environment, feature_name, app_name, variant',
    ],
    [
      'usage_by_day',
      'day, environment, feature_name, app_name, yes, no, unknown, reports',
      'day, environment, feature_name, app_name',
    ],
    [
      'variants_by_day',
      'day, environment, feature_name, app_name, variant, count',
      'day, environment, feature_name, app_name, variant',
    ],
  ];
  for (const [view, selected, order] of columns)
    it(`has the rows of ${view} of a day, always in the same order`, async () => {
      const stream = await streamExport(clickhouse.db, { view, day: DAY, format: 'csv' });
      expect(await text(stream)).to.equal('{"yes":7}\n');
      const [time] = selected.split(',');
      expect(statement()?.sql).to.equal(
        `select ${selected} from ${view} where ${time} >= {day:Date} and ${time} < {day:Date} + interval 1 day order by ${order} format CSVWithNames`,
      );
      expect(statement()?.params).to.include({ param_day: DAY, wait_end_of_query: '1' });
    });

  describe('to a bucket', () => {
    const file = { view: 'usage_by_day', day: DAY, format: 'parquet' } as const;

    it('is written by ClickHouse, which hides the secret in its log', async () => {
      const credentials = { id: 'the-id', secret: 'the-secret' };
      expect(
        await exportToS3(clickhouse.db, file, { bucket: { ...BUCKET, credentials }, overwrite: false }),
      ).to.equal(true);
      expect(statement()?.sql).to.match(
        /^insert into function s3\(\{url:String\}, 'the-id', 'the-secret', 'Parquet'\) select day, /,
      );
      expect(statement()?.params).to.include({
        param_day: DAY,
        param_url: `https://s3.test/bucket/usage/usage_by_day/${DAY}.parquet`,
        s3_truncate_on_insert: '0',
        s3_retry_attempts: '5',
        wait_end_of_query: '1',
      });
      expect(JSON.stringify(statement()?.params)).not.to.include('the-secret');
    });

    it('may replace files, and be written with the credentials of the server', async () => {
      expect(await exportToS3(clickhouse.db, file, { bucket: BUCKET, overwrite: true })).to.equal(true);
      expect(statement()?.sql).to.match(/^insert into function s3\(\{url:String\}, 'Parquet'\)/);
      expect(statement()?.params).to.include({ s3_truncate_on_insert: '1' });
    });

    it('fails if ClickHouse cannot write it', async () => {
      trouble = 'S3_ERROR';
      const problem: unknown = await exportToS3(clickhouse.db, file, {
        bucket: BUCKET,
        overwrite: false,
      }).catch((error: unknown) => error);
      expect(problem).to.include({ type: 'S3_ERROR' });
    });
  });
});

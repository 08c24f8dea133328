import {
  registerApplications,
  storeRelayReports,
  syncFeatures,
  syncInstances,
  syncLastSeen,
} from '#fleet/catalogue';
import { createBlocks, refreshVerdicts } from '#core/clickhouse';
import { type PostgresClient, inTransaction } from '#base/postgres';
import { SAMPLE_PARTITION, blockCount, blocksOf } from '../plan/usage/blocks.ts';
import { type SampleDocument, configurationsOf, documentOf } from '../plan/document.ts';
import { registeredAt, registrationsOf } from '../plan/registrations.ts';
import { relayReportsOf } from '../plan/relay-reports.ts';
import { SAMPLE_APPS } from '../shop/applications.ts';
import { type SampleStores, readSample } from './stored-sample.ts';

export type Filling = {
  /** Epoch milliseconds, in whole seconds. */
  readonly madeAt: number;
  readonly insertDocument: (
    client: PostgresClient,
    document: Partial<SampleDocument> & Pick<SampleDocument, 'format' | 'version'>,
  ) => Promise<unknown>;
  readonly onProgress: (text: string) => void;
};

/**
 * Stores the sample, or the rest of an interrupted one: a repetition with the same `madeAt` adds nothing. The order of effects:
 *
 *   1. Postgres    the projects, which show that there is a sample, and the environment
 *   2. ClickHouse  blocks with the evaluations and samples, one INSERT a week
 *   3. Postgres    applications, and the reports of relays, which ClickHouse has too
 *   4. Postgres    features, change requests and events in one transaction; then the sample is complete
 *   5. ClickHouse  the copy of the catalogue, and the verdicts, which people look at at once
 */
export async function fillSample(
  { db, shards, clickhouse }: SampleStores,
  { madeAt, insertDocument, onProgress }: Filling,
): Promise<void> {
  const isRepetition = (await readSample({ db, shards })) !== undefined;
  const document = documentOf(madeAt);
  const { format, version, projects } = document;
  await inTransaction(db, async (client) => {
    await client.query(ADD_ENVIRONMENT, [new Date(madeAt)]);
    await insertDocument(client, { format, version, projects });
  });
  const blocks = createBlocks(shards.of(SAMPLE_PARTITION));
  let session = await blocks.openSession();
  let stored = 0;
  for (const block of blocksOf(madeAt)) {
    session = await (isRepetition ? blocks.complete(block) : blocks.insert(block, session));
    stored += 1;
    onProgress(`${stored} of ${blockCount(madeAt)} weeks stored`);
  }
  await registerApplications(db, registrationsOf(madeAt));
  await storeRelayReports({ db, clickhouse: shards.of(SAMPLE_PARTITION) }, relayReportsOf(madeAt));
  await inTransaction(db, (client) => antedate(client, registeredAt(madeAt)));
  await inTransaction(db, async (client) => {
    await insertDocument(client, document);
    await client.query(ANTEDATE_CONFIGURATIONS, [JSON.stringify(configurationsOf(madeAt))]);
  });
  for (const shard of shards.all) {
    await syncFeatures(db, shard);
    await syncInstances(db, shard);
  }
  await syncLastSeen(db, clickhouse);
  await refreshVerdicts(clickhouse);
}

const ADD_ENVIRONMENT = `
  insert into environments (name, type, sort_order, created_at)
  values ('staging', 'test', 2, $1)
  on conflict do nothing`;

const ANTEDATE_CONFIGURATIONS = `
  update feature_environments as f
  set changed_at = record.changed_at
  from jsonb_to_recordset($1) as record (feature_name text, changed_at timestamptz)
  where f.feature_name = record.feature_name
    and environment = 'production'`;

async function antedate(client: PostgresClient, registered: number): Promise<void> {
  const values = [SAMPLE_APPS, new Date(registered)];
  await client.query('update client_applications set created_at = $2 where app_name = any ($1)', values);
  await client.query(ANTEDATE_INSTANCES, values);
  await client.query(ANTEDATE_EVENTS, values);
}

const ANTEDATE_INSTANCES = `
  update client_instances
  set created_at = $2,
      reporting_since = $2
  where app_name = any ($1)`;

const ANTEDATE_EVENTS = `
  update events
  set created_at = $2,
      data = jsonb_set(data, '{createdAt}', to_jsonb($2::timestamptz))
  where type = 'application-created'
    and data->>'appName' = any ($1)`;

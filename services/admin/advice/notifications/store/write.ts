import type { PostgresClient } from '#base/postgres';
import { type Caller, personalTokenOf } from '#base/tokens';
import { notValid } from '../../../denial.ts';
import type { Described, NewSubscription, SubscriptionUpdate } from '../schema.ts';
import { noSuchSubscription } from './read.ts';
import { SELECT_SUBSCRIPTION, type SubscriptionRow, toDescribed } from './rows.ts';

/** The encrypted address and secret, and the host for people. */
export type SealedTarget = {
  readonly host: string;
  readonly sealId: string;
  readonly sealedUrl: string;
  readonly sealedSecret: string;
};

/** The secret stays as it is if none is given. */
export type NewTarget = Pick<SealedTarget, 'host' | 'sealedUrl'> &
  Partial<Pick<SealedTarget, 'sealedSecret'>>;

/** Each one costs the dispatch of every cause a little. */
export const MAX_SUBSCRIPTIONS = 100;

export async function insertSubscription(
  client: PostgresClient,
  subscription: NewSubscription,
  { target, caller }: { readonly target: SealedTarget; readonly caller: Caller },
): Promise<Described> {
  await client.query('lock table notification_subscriptions in share row exclusive mode');
  const { rows } = await client.query<SubscriptionRow>(
    `insert into notification_subscriptions as s (
       name, channel, host, sealed_url, sealed_secret, seal_id, causes, verdicts, event_types, project, owner, tag, schedule, hour,
       weekday, enabled, created_by, edited_by, edited_by_token, personal_token
     )
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19::uuid, $20::uuid
     where (select count(*) from notification_subscriptions) < ${MAX_SUBSCRIPTIONS}
     returning ${SELECT_SUBSCRIPTION}`,
    [
      subscription.name,
      subscription.channel,
      target.host,
      target.sealedUrl,
      target.sealedSecret,
      target.sealId,
      subscription.causes,
      subscription.verdicts ?? [],
      subscription.eventTypes ?? [],
      subscription.project,
      subscription.owner,
      subscription.tag,
      subscription.schedule ?? 'at-once',
      subscription.hour ?? 8,
      subscription.weekday ?? 1,
      subscription.enabled ?? true,
      caller.name,
      caller.userId,
      caller.tokenId,
      personalTokenOf(caller),
    ],
  );
  const [created] = rows.map(toDescribed);
  if (created === undefined)
    throw notValid('There are too many subscriptions. Delete one that is not needed.');
  return created;
}

/** The columns that an update may set. */
const COLUMNS = {
  name: 'name',
  channel: 'channel',
  causes: 'causes',
  verdicts: 'verdicts',
  eventTypes: 'event_types',
  project: 'project',
  owner: 'owner',
  tag: 'tag',
  schedule: 'schedule',
  hour: 'hour',
  weekday: 'weekday',
  enabled: 'enabled',
} as const satisfies Record<keyof Omit<SubscriptionUpdate, 'url'>, string>;

/** Parameters 2 to 4. */
const EDITED = ['edited_by = $2', 'edited_by_token = $3', 'personal_token = $4'];

/** Sets the given members of a locked subscription. From now on the caller stands behind it. */
export async function updateSubscription(
  client: PostgresClient,
  id: number,
  update: Omit<SubscriptionUpdate, 'url'> & {
    readonly target?: NewTarget;
    readonly caller: Caller;
  },
): Promise<Described | undefined> {
  const { target, caller, ...members } = update;
  const given: [string, unknown][] = Object.entries(members).flatMap(([member, value]) =>
    member in COLUMNS ? [[COLUMNS[member as keyof typeof COLUMNS], value]] : [],
  );
  if (target !== undefined) {
    const { host, sealedUrl, sealedSecret } = target;
    given.push(['host', host], ['sealed_url', sealedUrl]);
    if (sealedSecret !== undefined) given.push(['sealed_secret', sealedSecret]);
  }
  const { rows } = await client.query<SubscriptionRow>(
    `update notification_subscriptions as s
     set ${[...EDITED, ...given.map(([column], index) => `${column} = $${index + 5}`)].join(', ')}
     where id = $1
     returning ${SELECT_SUBSCRIPTION}`,
    [id, caller.userId, caller.tokenId, personalTokenOf(caller), ...given.map(([, value]) => value)],
  );
  return rows.map(toDescribed)[0];
}

export async function lockSubscription(client: PostgresClient, id: number): Promise<SubscriptionRow> {
  const { rows } = await client.query<SubscriptionRow>(
    `select ${SELECT_SUBSCRIPTION}
     from notification_subscriptions as s
     where id = $1
     for update`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw noSuchSubscription();
  return row;
}

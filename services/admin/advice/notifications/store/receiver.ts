import type { Receiver } from '../../webhooks/index.ts';
import type { Postgres } from '#base/postgres';

export type NamedReceiver = Receiver & { readonly id: number; readonly name: string; readonly host: string };

type Row = {
  id: number;
  name: string;
  host: string;
  channel: Receiver['channel'];
  seal_id: string;
  sealed_url: string;
  sealed_secret: string;
};

/** The receiver of a subscription, or all of them, by the id. */
export async function readReceivers(db: Postgres, id: number | undefined): Promise<NamedReceiver[]> {
  const { rows } = await db.query<Row>(
    `select id, name, host, channel, seal_id, sealed_url, sealed_secret
     from notification_subscriptions
     where $1::integer is null or id = $1
     order by id`,
    [id],
  );
  return rows.map(({ seal_id: sealId, sealed_url: sealedUrl, sealed_secret: sealedSecret, ...row }) => ({
    ...row,
    sealId,
    sealedUrl,
    sealedSecret,
  }));
}

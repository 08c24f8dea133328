import type { PostgresClient } from '#base/postgres';
import type { Caller, UsedToken } from '#base/tokens';
import { recordDone } from '../../audit/store/record-entry.ts';
import type { EventToken } from '../schema.ts';
import type { EventType } from '../types-schema.ts';

export type NewEvent = {
  readonly type: EventType;
  readonly caller: Caller;
  /** Whom the audit names instead, if flagmeter itself is the caller and somebody made it act. */
  readonly actor?: Caller;
  readonly project?: string;
  readonly environment?: string;
  readonly featureName?: string;
  /** The new values. They never contain a secret. */
  readonly data?: object;
  readonly preData?: object;
  /** The change request that caused the event. */
  readonly changeRequestId?: number | undefined;
};

/** Records an event, and its entry in the audit, in the transaction of `client`. */
export async function recordEvent(client: PostgresClient, event: NewEvent): Promise<void> {
  const { type, caller, project, environment, featureName, data, preData, changeRequestId } = event;
  await client.query(
    `insert into events (
       type, created_by, created_by_user_id, project, environment, feature_name, data, pre_data, group_type, group_id,
       token, comment
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      type,
      caller.name,
      caller.userId,
      project,
      environment,
      featureName,
      jsonOf(data),
      jsonOf(preData),
      changeRequestId === undefined ? undefined : 'change-request',
      changeRequestId,
      jsonOf(caller.token && tokenOf(caller.token)),
      caller.request?.comment,
    ],
  );
  recordDone(client, event.actor ?? caller, {
    event: type,
    project,
    environment,
    featureName,
    before: preData,
    after: data,
  });
}

/** Never its secret. */
function tokenOf({ id, createdBy }: UsedToken): EventToken {
  return {
    id,
    createdByUserId: createdBy?.userId ?? null,
    createdByTokenId: createdBy?.tokenId ?? null,
  };
}

function jsonOf(value: object | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

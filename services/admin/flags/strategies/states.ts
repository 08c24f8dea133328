import type { Postgres } from '#base/postgres';
import { type AdminRequest, type Operation, nameParameter } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import { changeStrategy } from './rows.ts';

const PATH = '/api/admin/strategies/{strategyName}';

/** Changes without a body; each is idempotent. */
export function stateOperations(db: Postgres): Operation[] {
  const common = {
    tag: 'Strategies',
    permission: 'EDIT_STRATEGIES',
    scope: 'installation',
    problems: [404, 409],
  } as const;
  return [
    {
      ...common,
      id: 'deprecateStrategy',
      method: 'post',
      path: `${PATH}/deprecate`,
      summary: 'Mark a custom strategy type as deprecated',
      answer: { status: 200, description: 'The strategy is deprecated.' },
      run: (request) => setDeprecated(db, request, true),
    },
    {
      ...common,
      id: 'reactivateStrategy',
      method: 'post',
      path: `${PATH}/reactivate`,
      summary: 'Reactivate a deprecated custom strategy type',
      answer: { status: 200, description: 'The strategy is not deprecated.' },
      run: (request) => setDeprecated(db, request, false),
    },
    {
      ...common,
      id: 'deleteStrategy',
      method: 'delete',
      path: PATH,
      summary: 'Delete a custom strategy type',
      answer: { status: 200, description: 'The strategy is deleted.' },
      run: (request) => deleteStrategy(db, request),
    },
  ];
}

/** A repetition writes no second event. */
async function setDeprecated(db: Postgres, request: AdminRequest, deprecated: boolean): Promise<void> {
  const { caller } = request;
  const name = nameParameter(request, 'strategyName');
  await changeStrategy(db, request, async (client, before) => {
    if (before.deprecated === deprecated) return;
    await client.query('update strategies set deprecated = $2 where name = $1', [name, deprecated]);
    const type = deprecated ? 'strategy-deprecated' : 'strategy-reactivated';
    await recordEvent(client, { type, caller, data: { name }, preData: before });
  });
}

async function deleteStrategy(db: Postgres, request: AdminRequest): Promise<void> {
  const { caller } = request;
  const name = nameParameter(request, 'strategyName');
  await changeStrategy(db, request, async (client, before) => {
    await client.query('delete from strategies where name = $1', [name]);
    await recordEvent(client, { type: 'strategy-deleted', caller, preData: before });
  });
}

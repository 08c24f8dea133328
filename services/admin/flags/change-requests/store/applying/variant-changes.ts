import type { PostgresClient } from '#base/postgres';
import { recordEvent } from '../../../../record/events/store/record-event.ts';
import { problemsOfVariants } from '../../../feature-strategies/rules.ts';
import { type Variants, isVariantsPayload } from '../../../feature-strategies/schema.ts';
import type { StrategyPlace } from '../../../feature-strategies/store/rows.ts';
import { type StoredChange, checkStrategyChange, firstOf, invalid } from './strategy-changes.ts';

/** Throws a Denial if the payload of a change of strategies or variants is not valid. */
export async function checkChange(
  client: PostgresClient,
  feature: string,
  stored: StoredChange,
): Promise<void> {
  if (stored.action === 'patchVariant') readVariants(stored);
  else await checkStrategyChange(client, feature, stored);
}

/** Replaces the variants that a feature has in an environment, apart from those of its strategies. Writes an event if they change. */
export async function applyVariantChange(
  client: PostgresClient,
  { feature, environment, project, caller, changeRequestId }: StrategyPlace,
  stored: StoredChange,
): Promise<void> {
  const variants = readVariants(stored);
  const { rows } = await client.query<{ variants: unknown[] }>(
    'select variants from feature_environments where feature_name = $1 and environment = $2',
    [feature, environment],
  );
  const { rowCount } = await client.query(
    `insert into feature_environments as known (feature_name, environment, variants)
     values ($1, $2, $3)
     on conflict (feature_name, environment) do update
     set variants = excluded.variants
     where known.variants <> excluded.variants`,
    [feature, environment, JSON.stringify(variants)],
  );
  if (rowCount === 0) return;
  await recordEvent(client, {
    type: 'feature-environment-variants-updated',
    caller,
    project,
    environment,
    changeRequestId,
    featureName: feature,
    data: { variants },
    preData: { variants: rows[0]?.variants ?? [] },
  });
}

/** An import may have stored any payload, so it is checked again when it is applied. */
function readVariants({ action, payload }: StoredChange): Variants {
  if (!isVariantsPayload(payload)) throw invalid({ action }, firstOf(isVariantsPayload));
  const [problem] = problemsOfVariants(payload.variants);
  if (problem !== undefined) throw invalid({ action }, problem);
  return payload.variants;
}

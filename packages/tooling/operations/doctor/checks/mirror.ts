import { type ClickHouse, readRows } from '#core/clickhouse';
import type { Config } from '#base/runtime';
import { type Judgement, ok, warn } from '../finding.ts';

const WHAT = 'counts, impact metrics and applications';

/** Whether Unleash gets what flagmeter counts in front of it. */
export async function examineMirror(
  db: ClickHouse,
  unleash: NonNullable<Config['unleash']>,
): Promise<Judgement> {
  const { mirror } = unleash;
  if (mirror === undefined)
    return warn(
      `Unleash gets no ${WHAT}: the mirror is off.`,
      'Set UNLEASH_MIRROR_TOKENS, unless Unleash needs no new numbers.',
    );
  const rows = await readRows<{ environment: string }>(
    db,
    `select distinct environment
     from usage_by_day
     where day >= today() - 1
     order by environment
     limit 100`,
  );
  const without = rows.map(({ environment }) => environment).filter((name) => !mirror.secrets.has(name));
  if (without.length === 0)
    return ok('Each environment that was counted since yesterday has a mirror token.');
  return warn(
    `Unleash gets no ${WHAT} of ${without.join(', ')}: UNLEASH_MIRROR_TOKENS has no token for that.`,
    'Add a client token of Unleash for each environment.',
  );
}

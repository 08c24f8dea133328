import type { World } from '../../support/world.ts';

/** The plan of ClickHouse, with the projections that it would read. */
export async function planWithProjections(world: World, sql: string): Promise<string> {
  const plan = await world.query<{ explain: string }>(`explain projections = 1 ${sql}`);
  return plan.map(({ explain }) => explain).join('\n');
}

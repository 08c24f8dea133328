import { runStatement } from '#core/clickhouse';
import type { World } from '../../world.ts';
import { type Fault, startLossyProxy } from './lossy-proxy.ts';

export type HalfStoring = {
  /** The address of ClickHouse for the process that stores blocks. */
  readonly url: string;
  /**
   * Stores blocks without their rows in `usage_daily`, and loses the answers, until `untilStored` resolves. No one can
   * complete these blocks through this address before `mend`.
   */
  storeHalves(world: World, untilStored: () => Promise<void>): Promise<void>;
  mend(): void;
  close(): void;
};

const VIEW = 'usage_daily_view';

/**
 * A proxy in front of ClickHouse. It can interrupt the storing of blocks as a killed server does, but for as long as a test
 * likes.
 */
export async function startHalfStoring(target: () => string): Promise<HalfStoring> {
  let isArmed = false;
  let hasInserted = false;
  const proxy = await startLossyProxy(target, ({ url = '' }): Fault => {
    if (!isArmed) return 'none';
    const isInsert = url.includes('insert_deduplication_token');
    hasInserted ||= isInsert;
    // After an INSERT nothing else arrives. So the sender never learns what became of it, and cannot complete its block.
    if (isInsert) return 'cut';
    return hasInserted ? 503 : 'none';
  });
  return {
    url: proxy.url,
    async storeHalves({ clickhouse }, untilStored) {
      isArmed = true;
      await runStatement(clickhouse, `detach table ${VIEW} sync`);
      await untilStored();
      await runStatement(clickhouse, `attach table ${VIEW}`);
    },
    mend: () => {
      isArmed = false;
    },
    close: () => {
      proxy.close();
    },
  };
}

import { NO_NAMES, type Refusal, type RefusalReason, keyOfRefusal } from '../refusals.ts';
import type { CountsMessage } from '../message/counts-message.ts';

export type BlockRefusal = Refusal & { readonly tokenId: string; readonly receivedAt: number };

/**
 * Adds up the refusals of the messages of one block. It keeps the names of at most 100 different refusals of each token. So a
 * misused token adds a bounded number of rows, and the refusals of other tokens keep their names.
 */
export class BlockRefusals {
  static readonly MAX_NAMED_PER_TOKEN = 100;
  readonly #tokens = new Map<string, Map<string, BlockRefusal>>();
  readonly #byReason = new Map<RefusalReason, number>();

  add({ refusals, tokenId, receivedAt }: Pick<CountsMessage, 'refusals' | 'tokenId' | 'receivedAt'>): void {
    const sums = this.#tokens.get(tokenId) ?? new Map<string, BlockRefusal>();
    this.#tokens.set(tokenId, sums);
    for (const refusal of refusals) {
      const { kind, reason, metrics } = refusal;
      let key = keyOfRefusal(refusal);
      let shown = refusal;
      if (!sums.has(key) && sums.size >= BlockRefusals.MAX_NAMED_PER_TOKEN) {
        shown = { ...refusal, ...NO_NAMES };
        key = keyOfRefusal(shown);
      }
      const sum = sums.get(key) ?? { ...shown, tokenId, receivedAt, metrics: 0 };
      sums.set(key, { ...sum, receivedAt, metrics: sum.metrics + metrics });
      if (kind === 'metric') this.#byReason.set(reason, (this.#byReason.get(reason) ?? 0) + metrics);
    }
  }

  result(): { refusals: BlockRefusal[]; refusedByReason: ReadonlyMap<RefusalReason, number> } {
    const refusals = [...this.#tokens.values()].flatMap((sums) => [...sums.values()]);
    return { refusals, refusedByReason: this.#byReason };
  }
}

import { KnownBytes, type KnownEvaluation } from '#core/counting';
import { NOT_ENABLED_REASONS } from '../interpreting/results.ts';

export type KnownPoint = {
  readonly evaluation: KnownEvaluation;
  /** The series of the last cumulative point, see `seriesOfPoint`. */
  series: { readonly scope: string; readonly metric: string; readonly text: string } | undefined;
};

/** What points say, by the bytes of their attributes. */
export type KnownAttributes = KnownBytes<KnownPoint>;

/** Of counters of all evaluations, and of counters of errors. */
export type KnownOfToken = Readonly<Record<'evaluations' | 'errors', KnownAttributes>>;

/** What the points of one token say. When they are too many, they are learned anew. */
const OF_TOKEN = { values: 8192, bytes: 1024 * 1024 } as const;
const MAX_BYTES = 16 * 1024 * 1024;
/** A point takes less, beside its names and the text of its series, which are as long as its bytes. */
const VALUE_BYTES = 400;

type Token = { readonly notEnabledReasons: readonly string[]; readonly known: KnownOfToken; bytes: number };

/** Remembers what the points of each token say. If that takes too much, it forgets the tokens that sent nothing for the longest time. */
export class KnownPoints {
  /** The token that sent nothing for the longest time comes first. */
  readonly #tokens = new Map<string, Token>();
  #bytes = 0;
  #last: Token | undefined;

  /** Without what was learned since the last call. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The results of evaluations depend on these reasons. */
  of(tokenId: string, notEnabledReasons: readonly string[] = NOT_ENABLED_REASONS): KnownOfToken {
    this.#measureLast();
    const earlier = this.#tokens.get(tokenId);
    const isSame = earlier !== undefined && isEqual(earlier.notEnabledReasons, notEnabledReasons);
    if (earlier !== undefined) this.#forget(tokenId, earlier);
    const token = isSame ? earlier : { notEnabledReasons, known: createKnown(), bytes: 0 };
    this.#bytes += token.bytes;
    this.#forgetSilent();
    this.#tokens.set(tokenId, token);
    this.#last = token;
    return token.known;
  }

  /** Adds what the last token has learned. */
  #measureLast(): void {
    const last = this.#last;
    if (last === undefined) return;
    const bytes = bytesOf(last.known.evaluations) + bytesOf(last.known.errors);
    this.#bytes += bytes - last.bytes;
    last.bytes = bytes;
  }

  #forgetSilent(): void {
    for (const [tokenId, token] of this.#tokens) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#forget(tokenId, token);
    }
  }

  #forget(tokenId: string, { bytes }: Token): void {
    this.#tokens.delete(tokenId);
    this.#bytes -= bytes;
  }
}

function createKnown(): KnownOfToken {
  return { evaluations: new KnownBytes(OF_TOKEN), errors: new KnownBytes(OF_TOKEN) };
}

function bytesOf(known: KnownAttributes): number {
  return 3 * known.bytes + known.size * VALUE_BYTES;
}

function isEqual(some: readonly string[], others: readonly string[]): boolean {
  return some === others || (some.length === others.length && some.every((one, i) => one === others[i]));
}

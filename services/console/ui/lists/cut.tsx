import { cutSentence } from '../../state/sentences/index.ts';

type CutProps = {
  readonly shown: number;
  /** How many there are; absent if that is not known. */
  readonly total?: number;
  /** What the list has: `applications`. */
  readonly of: string;
  /** How the others are found. */
  readonly others?: string;
};

/** Says that a list has only the first items; nothing if it is whole. */
export function Cut({ shown, total, of, others }: CutProps) {
  if (total !== undefined && total <= shown) return null;
  return (
    <p class="attention" role="note">
      {cutSentence(shown, total, of)} {others}
    </p>
  );
}

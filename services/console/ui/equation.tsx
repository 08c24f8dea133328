import type { AccountingDocument } from '../types.ts';
import { formatCount } from '../state/format.ts';

type Numbers = Pick<AccountingDocument['total'], 'received' | 'counted' | 'refused' | 'duplicate' | 'dead'>;

/** received = counted + refused + duplicate + dead */
export function Equation({ of }: { readonly of: Numbers }) {
  return (
    <p class="equation">
      <Term name="received" count={of.received} />
      <Term sign="=" name="counted" count={of.counted} />
      <Term sign="+" name="refused" count={of.refused} />
      <Term sign="+" name="duplicate" count={of.duplicate} />
      <Term sign="+" name="dead" count={of.dead} isWrong={of.dead > 0} />
    </p>
  );
}

type TermProps = {
  readonly sign?: '=' | '+';
  readonly name: string;
  readonly count: number;
  readonly isWrong?: boolean;
};

/** Sign and number stay on one line. */
function Term({ sign, name, count, isWrong = false }: TermProps) {
  return (
    <span class="term">
      {sign !== undefined && <i>{sign}</i>}
      <span class={isWrong ? 'wrong' : ''}>
        <strong class="number">{formatCount(count)}</strong> {name}
      </span>
    </span>
  );
}

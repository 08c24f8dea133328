import type { Resource } from '../../../api/requests/resource.ts';
import type { AccountingDocument } from '../../../types.ts';
import { Equation } from '../../../ui/equation.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Time } from '../../../ui/parts.tsx';
import { waitingSentence } from '../../../state/sentences/first-pages.ts';

/** received = counted + refused + duplicate + dead, and what is still on its way. */
export function Sentence({ of: accounting }: { readonly of: Resource<AccountingDocument> }) {
  return (
    <Loaded of={accounting} lines={2}>
      {({ total, sample }) => (
        <>
          <Equation of={total} />
          <p class="now muted">{waitingSentence(total.inFlight)}</p>
          {sample !== null && (
            <p class="note">
              The sample shop was made <Time at={sample.madeAt} />. It was stored directly: no relay sent it,
              so this equation does not count it. <code>make sample-remove</code> removes it.
            </p>
          )}
          {total.received === 0 && sample === null && (
            <Empty>
              <code>make sample</code> fills flagmeter with a shop to look at. To count your own flags, point
              a relay or an SDK at flagmeter.
            </Empty>
          )}
        </>
      )}
    </Loaded>
  );
}

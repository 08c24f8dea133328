import { useLive } from '../../../api/live/use-live.ts';
import type { Resource } from '../../../api/requests/resource.ts';
import type { AccountingDocument } from '../../../types.ts';
import { formatCount, formatPlural } from '../../../state/format.ts';
import { Equation } from '../../../ui/equation.tsx';
import { LiveMark } from '../../../ui/live-mark.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Time } from '../../../ui/parts.tsx';

/** received = counted + refused + duplicate + dead, and what is still on its way. */
export function Sentence({ of: accounting }: { readonly of: Resource<AccountingDocument> }) {
  const live = useLive().counts.value;
  return (
    <Loaded of={accounting} lines={2}>
      {({ total, sample }) => (
        <>
          <Equation of={total} />
          <p class="now muted">
            <span>{waitingIn(live?.lag ?? total.inFlight, live?.lagSeconds ?? 0)}</span>
            {live?.perSecond && (
              <span>
                <span class="number">{formatCount(Math.round(live.perSecond.received))}</span> metrics per
                second
              </span>
            )}
            <LiveMark />
          </p>
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

/** Blocks are stored once a second, so a message that has waited for less is no news. */
const LONG_SECONDS = 5;

function waitingIn(messages: number, seconds: number): string {
  if (messages === 0) return 'no message waits to be counted';
  const waiting = `${formatPlural(messages, 'message waits', 'messages wait')} to be counted`;
  return seconds < LONG_SECONDS ? waiting : `${waiting}, the oldest for at least ${formatCount(seconds)} s`;
}

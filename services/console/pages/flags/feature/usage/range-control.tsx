import { useRef } from 'preact/hooks';
import { useConsole } from '../../../../console.ts';
import { type Zone, formatTime } from '../../../../state/format.ts';
import { formatMinute, mayShowMinutes, rangeOf } from '../../../../state/time/range.ts';

/** Minutes instead of hours, where both are stored. */
export function MinutesControl() {
  const { router } = useConsole();
  const { query } = router.route.value;
  if (!mayShowMinutes(query, Date.now())) return null;
  const isChosen = query['by'] === 'minute';
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={() => {
        router.change({ by: isChosen ? '' : 'minute' });
      }}
    >
      By minute
    </button>
  );
}

/** Any two times, in the URL as `from` and `to`, in the zone of the switch. */
export function RangeControl() {
  const { router, preferences } = useConsole();
  const zone = preferences.zone.value;
  const { query } = router.route.value;
  const box = useRef<HTMLDetailsElement>(null);
  const { from, to } = rangeOf(query, Date.now());
  const isChosen = query['from'] !== undefined;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const [start, end] = [timeOf(form.get('from'), zone), timeOf(form.get('to'), zone)];
    if (!(start < end)) return;
    router.change({ from: formatMinute(start), to: formatMinute(end) });
    box.current?.removeAttribute('open');
  };
  return (
    <details class={isChosen ? 'range chosen' : 'range'} ref={box}>
      <summary>{isChosen ? `${formatTime(from, zone)} – ${formatTime(to ?? 0, zone)}` : 'From – to'}</summary>
      {/* New fields for another range. The same ones keep what is typed, although the page reads new counts meanwhile. */}
      <form
        key={`${query['from'] ?? ''} ${query['to'] ?? ''} ${query['window'] ?? ''} ${zone}`}
        onSubmit={submit}
      >
        <Field name="from" title="From" time={from} zone={zone} />
        <Field name="to" title="To" time={to ?? Date.now()} zone={zone} />
        <button type="submit" class="primary">
          Show
        </button>
      </form>
    </details>
  );
}

type FieldProps = {
  readonly name: string;
  readonly title: string;
  readonly time: number;
  readonly zone: Zone;
};

function Field({ name, title, time, zone }: FieldProps) {
  return (
    <label>
      {title}
      <input
        type="datetime-local"
        name={name}
        required
        defaultValue={formatTime(time, zone).replace(' ', 'T')}
      />
    </label>
  );
}

/** Epoch milliseconds of a time without a zone; NaN if there is none. */
function timeOf(value: FormDataEntryValue | null, zone: Zone): number {
  return typeof value === 'string' ? Date.parse(zone === 'UTC' ? `${value}Z` : value) : NaN;
}

import { formatShare } from '../../state/format.ts';
import { formatValue, sumOf } from '../../state/chart/counts.ts';
import { Name } from '../parts.tsx';
import { PREVIOUS, type View } from './view.ts';

/** A patch of colour before a name. `tone` is a tone of a series or `previous`. */
export function Swatch({ tone }: { readonly tone: string }) {
  return <span class={`swatch ${tone}`} aria-hidden="true" />;
}

type Props = {
  readonly view: View;
  readonly previousTitle: string;
  readonly onToggle: (id: string) => void;
};

/** The series with their totals. Each switches its series off and on. */
export function Legend({ view: { data, hidden }, previousTitle, onToggle }: Props) {
  const totals = data.series.map(({ counts }) => sumOf(counts));
  const total = sumOf(totals) ?? 0;
  return (
    <div class="legend" role="group" aria-label="Series">
      {data.series.map(({ id, title, tone }, index) => (
        <Item
          key={id}
          {...{ tone, title, onToggle, id }}
          isShown={!hidden.has(id)}
          {...(data.rates === undefined
            ? {
                value: formatValue(data, totals[index]),
                share: data.series.length > 1 ? formatShare(totals[index] ?? 0, total) : '',
              }
            : { value: formatValue(data, data.rates[index]), share: '' })}
        />
      ))}
      {data.previous !== undefined && (
        <Item
          {...{ id: PREVIOUS, tone: PREVIOUS, title: previousTitle, onToggle }}
          isShown={!hidden.has(PREVIOUS)}
          value={formatValue(data, data.previous.includes(null) ? null : sumOf(data.previous))}
          share=""
        />
      )}
    </div>
  );
}

type ItemProps = {
  readonly id: string;
  readonly tone: string;
  readonly title: string;
  readonly isShown: boolean;
  readonly value: string;
  readonly share: string;
  readonly onToggle: (id: string) => void;
};

function Item({ id, tone, title, isShown, value, share, onToggle }: ItemProps) {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={() => {
        onToggle(id);
      }}
    >
      <Swatch tone={tone} /> <Name>{title}</Name> <strong class="number">{value}</strong>{' '}
      <span class="number">{share}</span>
    </button>
  );
}

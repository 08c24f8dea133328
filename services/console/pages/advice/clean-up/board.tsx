import { useState } from 'preact/hooks';
import { useCleanUps } from '../../../api/advice/clean-ups.ts';
import type { CleanUp } from '../../../types.ts';
import { formatCount, formatPlural } from '../../../state/format.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Section } from '../../../ui/parts.tsx';
import { Card } from './card.tsx';
import { SHORT, STAGES } from './stages.ts';

/** How far the removal of each flag is. flagmeter moves the cards by what happens, and people may too. */
export function Board() {
  const cleanUps = useCleanUps();
  return (
    <Section title="Board">
      <Loaded of={cleanUps} lines={4}>
        {({ cleanUps: cards }) =>
          cards.length === 0 ? (
            <Empty>A flag comes here within minutes after a verdict says that it can go.</Empty>
          ) : (
            <div class="board">
              {STAGES.map(({ id, title }) => (
                <Column key={id} title={title} cards={cards.filter(({ stage }) => stage === id)} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

type ColumnProps = { readonly title: string; readonly cards: readonly CleanUp[] };

function Column({ title, cards }: ColumnProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? cards : cards.slice(0, SHORT);
  const left = cards.length - shown.length;
  return (
    <section aria-label={title}>
      <h3>
        {title} <span class="muted number">{formatCount(cards.length)}</span>
      </h3>
      <ul>
        {shown.map((card) => (
          <Card key={card.featureName} of={card} />
        ))}
      </ul>
      {left > 0 && (
        <button
          type="button"
          aria-label={`${title}: show ${formatPlural(left, 'other flag')}`}
          onClick={() => {
            setWhole(true);
          }}
        >
          {formatCount(left)} more
        </button>
      )}
    </section>
  );
}

import { useState } from 'preact/hooks';
import type { Resource } from '../../../api/requests/resource.ts';
import { say } from '#base/words';
import type { CleanUp, CleanUps } from '../../../types.ts';
import { formatCount } from '../../../state/format.ts';
import { moreWords } from '../../../state/sentences/index.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Empty, Section } from '../../../ui/parts.tsx';
import { Card } from './card.tsx';
import { SHORT, STAGES } from './stages.ts';

type Props = {
  readonly cleanUps: Resource<CleanUps>;
  /** The flags that the list above shows. They are not repeated. */
  readonly listed: ReadonlySet<string>;
};

/** How far the removal of the other flags is. flagmeter moves the cards by what happens, and people may too. */
export function Board({ cleanUps, listed }: Props) {
  return (
    <Section title="Being removed">
      <Loaded of={cleanUps} lines={4}>
        {({ cleanUps: all, totals }) => {
          const cards = all.filter(({ featureName }) => !listed.has(featureName));
          if (cards.length === 0)
            return <Empty>A flag comes here once somebody moves it to its removal.</Empty>;
          return (
            <div class="board">
              {STAGES.map(({ id, title }) => (
                <Column
                  key={id}
                  title={title}
                  cards={cards.filter(({ stage }) => stage === id)}
                  total={
                    (totals.find(({ stage }) => stage === id)?.total ?? 0) -
                    all.filter(({ stage, featureName }) => stage === id && listed.has(featureName)).length
                  }
                />
              ))}
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

type ColumnProps = {
  readonly title: string;
  readonly cards: readonly CleanUp[];
  /** Also of flags that moved too long ago to be read. */
  readonly total: number;
};

function Column({ title, cards, total }: ColumnProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? cards : cards.slice(0, SHORT);
  const left = cards.length - shown.length;
  if (cards.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>
        {title} <span class="muted number">{formatCount(total)}</span>
      </h3>
      <Cut shown={cards.length} total={total} of="flags, those that moved last" />
      <ul>
        {shown.map((card) => (
          <Card key={card.featureName} of={card} />
        ))}
      </ul>
      {left > 0 && (
        <button
          type="button"
          aria-label={say`${title}: ${moreWords(left)}`}
          onClick={() => {
            setWhole(true);
          }}
        >
          {moreWords(left)}
        </button>
      )}
    </section>
  );
}

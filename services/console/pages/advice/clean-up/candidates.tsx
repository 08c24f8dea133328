import { recordedOf } from '../../../api/advice/recorded-verdicts.ts';
import type { CleanUp, RecordedVerdict } from '../../../types.ts';
import { say } from '#base/words';
import { Acknowledge } from './acknowledged.tsx';
import { Known as Removal, Move } from './card.tsx';
import type { Candidate } from './candidate.ts';
import { useConsole } from '../../../console.ts';
import { formatCount } from '../../../state/format.ts';
import { kindOf } from '../../../state/verdicts/verdict-kinds.ts';
import { Name, Sentence, Time } from '../../../ui/parts.tsx';

type Props = {
  readonly candidates: readonly Candidate[];
  /** The verdicts that hold, which can be acknowledged. */
  readonly recorded: readonly RecordedVerdict[];
  /** What is known of their removal, by name. */
  readonly cards: ReadonlyMap<string, CleanUp>;
  readonly selected: ReadonlySet<string>;
  /** Whether the reader may archive it. */
  readonly mayArchive: (candidate: Candidate) => boolean;
  readonly onToggle: (name: string) => void;
};

/** The flags that can go, each with its reasons and its evidence. */
export function Candidates({ candidates, recorded, cards, selected, mayArchive, onToggle }: Props) {
  return (
    <ul class="items candidates">
      {candidates.map((candidate) => (
        <Line
          key={candidate.name}
          of={candidate}
          recorded={recorded}
          card={cards.get(candidate.name)}
          isSelected={selected.has(candidate.name)}
          onToggle={mayArchive(candidate) ? onToggle : undefined}
        />
      ))}
    </ul>
  );
}

type LineProps = Pick<Props, 'recorded'> & {
  readonly of: Candidate;
  readonly card: CleanUp | undefined;
  readonly isSelected: boolean;
  readonly onToggle: Props['onToggle'] | undefined;
};

function Line({ of: candidate, recorded, card, isSelected, onToggle }: LineProps) {
  const { name, reasons, evaluationsPerDay } = candidate;
  const { router } = useConsole();
  return (
    <li>
      {onToggle !== undefined && (
        <input
          type="checkbox"
          aria-label={say`Select ${name}`}
          checked={isSelected}
          onChange={() => {
            onToggle(name);
          }}
        />
      )}
      <div>
        <a
          data-row
          href={router.linkTo('features', name)}
          onKeyDown={({ key }) => {
            if (key === 'x') onToggle?.(name);
          }}
        >
          <Name>{name}</Name>
        </a>
        {reasons.map(({ verdict, environment, sentence }) => (
          <div key={`${verdict} ${environment}`}>
            <p>
              <span class={`badge ${kindOf(verdict).tone}`}>{kindOf(verdict).title}</span> in{' '}
              <Name>{environment}</Name>. <Sentence>{sentence}</Sentence>
            </p>
            <Acknowledge recorded={recordedOf(recorded, { featureName: name, verdict, environment })} />
          </div>
        ))}
        <Known of={candidate} card={card} />
      </div>
      <span class="number" title="Evaluations a day, on average of 30 days">
        {formatCount(evaluationsPerDay)} <span class="muted">a day</span>
      </span>
    </li>
  );
}

type KnownProps = { readonly of: Candidate; readonly card: CleanUp | undefined };

/** Who evaluated it last, who made it, and how far its removal is. */
function Known({ of: { createdAt, createdBy, evidence }, card }: KnownProps) {
  return (
    <>
      {evidence.map((sentence) => (
        <p key={sentence}>
          <Sentence>{sentence}</Sentence>
        </p>
      ))}
      <p>
        Created{' '}
        {createdBy !== null && (
          <>
            by <Name>{createdBy}</Name>{' '}
          </>
        )}
        at <Time at={createdAt} />.
      </p>
      {card !== undefined && (
        <>
          {card.stage !== 'found' && <Removal of={card} />}
          <Move of={card} />
        </>
      )}
    </>
  );
}

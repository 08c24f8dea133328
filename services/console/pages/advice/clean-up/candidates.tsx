import { recordedOf } from '../../../api/advice/recorded-verdicts.ts';
import type { RecordedVerdict } from '../../../types.ts';
import { Acknowledge } from './acknowledged.tsx';
import type { Candidate } from './candidate.ts';
import { useConsole } from '../../../console.ts';
import { formatCount } from '../../../state/format.ts';
import { kindOf } from '../../../state/verdict-kinds.ts';
import { Name, Sentence, Time } from '../../../ui/parts.tsx';

type Props = {
  readonly candidates: readonly Candidate[];
  /** The verdicts that hold, which can be acknowledged. */
  readonly recorded: readonly RecordedVerdict[];
  readonly selected: ReadonlySet<string>;
  /** Whether the reader may archive it. */
  readonly mayArchive: (candidate: Candidate) => boolean;
  readonly onToggle: (name: string) => void;
};

/** The flags that can go, each with its reasons and its evidence. */
export function Candidates({ candidates, recorded, selected, mayArchive, onToggle }: Props) {
  return (
    <ul class="items candidates">
      {candidates.map((candidate) => (
        <Line
          key={candidate.name}
          of={candidate}
          recorded={recorded}
          isSelected={selected.has(candidate.name)}
          onToggle={mayArchive(candidate) ? onToggle : undefined}
        />
      ))}
    </ul>
  );
}

type LineProps = Pick<Props, 'recorded'> & {
  readonly of: Candidate;
  readonly isSelected: boolean;
  readonly onToggle: Props['onToggle'] | undefined;
};

function Line({ of: candidate, recorded, isSelected, onToggle }: LineProps) {
  const { name, createdAt, createdBy, reasons, evidence, evaluationsPerDay } = candidate;
  const { router } = useConsole();
  return (
    <li>
      {onToggle !== undefined && (
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
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
      </div>
      <span class="number" title="Evaluations a day, on average of 30 days">
        {formatCount(evaluationsPerDay)} <span class="muted">a day</span>
      </span>
    </li>
  );
}

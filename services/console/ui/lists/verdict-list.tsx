import type { ComponentChildren } from 'preact';
import type { Verdict } from '../../types.ts';
import { useConsole } from '../../console.ts';
import { kindOf } from '../../state/verdicts/verdict-kinds.ts';
import { Name, Sentence, Isolated } from '../parts.tsx';

type Props = {
  readonly verdicts: readonly Verdict[];
  /** What can be done with each. */
  readonly actions?: (verdict: Verdict) => ComponentChildren;
};

/** Verdicts with what to do and why. */
export function VerdictList({ verdicts, actions }: Props) {
  return (
    <ul class="items">
      {verdicts.map((item) => (
        <li key={`${item.verdict} ${item.featureName ?? ''} ${item.appName ?? ''} ${item.environment}`}>
          <span class={`badge ${kindOf(item.verdict).tone}`}>{kindOf(item.verdict).title}</span>{' '}
          <Subject of={item} />
          {item.environment !== '' && (
            <span class="muted">
              {' '}
              in <Isolated>{item.environment}</Isolated>
            </span>
          )}
          <p>
            <Sentence>{item.sentence}</Sentence>
          </p>
          {actions?.(item)}
        </li>
      ))}
    </ul>
  );
}

function Subject({ of: { featureName, appName } }: { readonly of: Verdict }) {
  const { router } = useConsole();
  if (featureName === null) return <Name>{appName ?? ''}</Name>;
  return (
    <a data-row href={router.linkTo('features', featureName)}>
      <Name>{featureName}</Name>
    </a>
  );
}

import { useEvaluators } from './use-evaluators.ts';
import { formatCount } from '../../../../state/format.ts';
import type { Evaluators } from './evaluators.ts';
import { reachedSentence } from '../../../../state/sentences/index.ts';
import { Trouble } from '../../../../ui/loaded.tsx';
import { Name } from '../../../../ui/parts.tsx';

/** More names than these help nobody to decide. */
const NAMED = 5;

type Reached = { readonly feature: string; readonly environment: string };

/** What a switch does: who evaluates the feature there, how often, and what they get from then on. */
export function Consequences({ feature, environment, isOn }: Reached & { readonly isOn: boolean }) {
  return (
    <>
      <EvaluatedNow feature={feature} environment={environment} />
      <p>
        {isOn
          ? 'From then on it is off for everybody there.'
          : 'From then on it is on for those whom its strategies choose.'}{' '}
        SDKs learn of it when they next read the configuration, most within a minute.
      </p>
    </>
  );
}

/** Whom a change in this environment reaches at once. */
export function EvaluatedNow({ feature, environment }: Reached) {
  const { data, readAt, problem } = useEvaluators(feature, environment);
  return (
    <>
      {problem !== undefined && <Trouble problem={problem} />}
      {data !== undefined && <Evaluated by={data} environment={environment} />}
      {data === undefined && problem === undefined && (
        <p aria-busy={readAt === undefined}>
          {readAt === undefined ? 'Looking who evaluates it …' : 'Who evaluates it now is unknown.'}
        </p>
      )}
    </>
  );
}

function Evaluated({ by, environment }: { readonly by: Evaluators; readonly environment: string }) {
  const { evaluations, applications, others } = by;
  if (evaluations === 0) return <p>{reachedSentence(evaluations, environment)}</p>;
  const named = applications.slice(0, NAMED);
  const rest = others + applications.slice(NAMED).reduce((sum, item) => sum + item.evaluations, 0);
  return (
    <>
      <p>{reachedSentence(evaluations, environment)}</p>
      <ul class="items bounded">
        {named.map(({ name, evaluations: own }) => (
          <li key={name}>
            <Name>{name}</Name> <span class="number muted">{formatCount(own)}</span>
          </li>
        ))}
        {rest > 0 && (
          <li>
            other applications <span class="number muted">{formatCount(rest)}</span>
          </li>
        )}
      </ul>
    </>
  );
}

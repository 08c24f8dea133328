import type { StrategiesOf } from '../../api/feature.ts';
import type { Resource } from '../../api/resource.ts';
import type { FeatureStrategy } from '../../api/types.ts';
import { formatShare } from '../../state/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Empty, Name, Section } from '../../ui/parts.tsx';

type Props = { readonly strategies: Resource<readonly StrategiesOf[]> };

/** The strategies of each environment in words. */
export function FeatureStrategies({ strategies }: Props) {
  return (
    <Section title="Strategies">
      <Loaded of={strategies} lines={3}>
        {(environments) =>
          environments.length === 0 ? (
            <Empty>The feature is in no environment.</Empty>
          ) : (
            <div class="columns">
              {environments.map((item) => (
                <Environment key={item.environment} of={item} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

function Environment({ of: { environment, enabled, strategies } }: { readonly of: StrategiesOf }) {
  return (
    <div>
      <h3>
        <Name>{environment}</Name>{' '}
        <span class={enabled ? 'badge on' : 'badge'}>{enabled ? 'on' : 'off'}</span>
      </h3>
      {strategies.length === 0 ? (
        <p class="muted">No strategy: on for everybody while it is on.</p>
      ) : (
        <ul class="items">
          {strategies.map((strategy) => (
            <Strategy key={strategy.id} of={strategy} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Strategy({ of }: { readonly of: FeatureStrategy }) {
  const { name, title, disabled, constraints, variants, segments } = of;
  const parameters = parametersOf(of);
  return (
    <li>
      <Name>{title ?? name}</Name> {disabled && <span class="badge">disabled</span>}
      {parameters !== '' && (
        <p>
          <bdi>{parameters}</bdi>
        </p>
      )}
      {constraints.map((constraint) => (
        <p key={JSON.stringify(constraint)}>
          <bdi>{constraintText(constraint)}</bdi>
        </p>
      ))}
      {segments.length > 0 && <p>segments {segments.join(', ')}</p>}
      {variants.length > 0 && (
        <p>
          <bdi>
            {variants
              .map(({ name: variant, weight }) => `${variant} ${formatShare(weight, 1000)}`)
              .join(', ')}
          </bdi>
        </p>
      )}
    </li>
  );
}

/** "25 % of userId", then what else there is. An empty parameter says nothing. */
function parametersOf({ parameters }: FeatureStrategy): string {
  const { rollout, stickiness, groupId: _, ...others } = parameters;
  const share =
    rollout === undefined ? [] : [`${rollout} %${stickiness === undefined ? '' : ` by ${stickiness}`}`];
  const rest = Object.entries(others).flatMap(([key, value]) => (value === '' ? [] : [`${key}: ${value}`]));
  return [...share, ...rest].join(', ');
}

type Constraint = NonNullable<FeatureStrategy['constraints']>[number];

/** "if country is one of DE, FR" */
function constraintText({
  contextName,
  operator,
  values = [],
  value,
  inverted,
  caseInsensitive,
}: Constraint): string {
  const not = inverted === true ? 'not: ' : '';
  const ending = caseInsensitive === true ? ' (any case)' : '';
  const compared = value ?? values.join(', ');
  return `only if ${not}${contextName} ${WORDS[operator]} ${compared}${ending}`;
}

const WORDS: Readonly<Record<Constraint['operator'], string>> = {
  IN: 'is one of',
  NOT_IN: 'is none of',
  STR_ENDS_WITH: 'ends with',
  STR_STARTS_WITH: 'starts with',
  STR_CONTAINS: 'contains',
  NUM_EQ: '=',
  NUM_GT: '>',
  NUM_GTE: '≥',
  NUM_LT: '<',
  NUM_LTE: '≤',
  DATE_AFTER: 'is after',
  DATE_BEFORE: 'is before',
  SEMVER_EQ: 'is version',
  SEMVER_GT: 'is a version after',
  SEMVER_LT: 'is a version before',
  SEMVER_GTE: 'is at least version',
  SEMVER_LTE: 'is at most version',
  REGEX: 'matches',
};

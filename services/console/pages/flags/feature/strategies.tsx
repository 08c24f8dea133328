import type { ComponentChildren } from 'preact';
import type { StrategiesOf } from '../../../api/flags/feature.ts';
import type { Resource } from '../../../api/requests/resource.ts';
import { eventVerb, rolloutChange } from '../../../state/events/event-words.ts';
import type { Event, Feature, FeatureStrategy } from '../../../types.ts';
import { constraintText, parametersText, variantsText } from '../../../state/strategies/strategy-words.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Isolated, Name, Section, Time } from '../../../ui/parts.tsx';
import { AddStrategy, ChangeStrategy } from './strategy/buttons.tsx';

type Props = {
  readonly feature: Feature;
  readonly strategies: Resource<readonly StrategiesOf[]>;
  /** Of the feature, the newest first. */
  readonly events: readonly Event[];
};

/** Where the feature is on, for whom, and since whose change. */
export function FeatureStrategies({ feature, strategies, events }: Props) {
  return (
    <Section title="Strategies">
      <Loaded of={strategies} lines={3}>
        {(environments) =>
          environments.length === 0 ? (
            <Empty>The feature is in no environment.</Empty>
          ) : (
            <div class="columns">
              {environments.map((item) => (
                <Environment
                  key={item.environment}
                  feature={feature}
                  of={item}
                  last={events.find(({ environment }) => environment === item.environment)}
                />
              ))}
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

type EnvironmentProps = {
  readonly feature: Feature;
  readonly of: StrategiesOf;
  readonly last: Event | undefined;
};

function Environment({ feature, of: { environment, enabled, strategies, etag }, last }: EnvironmentProps) {
  return (
    <div>
      <h3>
        <Name>{environment}</Name>{' '}
        <span class={enabled ? 'badge on' : 'badge'}>{enabled ? 'on' : 'off'}</span>
      </h3>
      {last !== undefined && <LastChange of={last} />}
      {strategies.length === 0 ? (
        <p class="muted">No strategy: on for everybody while it is on.</p>
      ) : (
        <ul class="items">
          {strategies.map((strategy) => (
            <Strategy key={strategy.id} of={strategy}>
              <ChangeStrategy place={{ feature, environment, strategies, etag }} strategy={strategy} />
            </Strategy>
          ))}
        </ul>
      )}
      <AddStrategy place={{ feature, environment, strategies, etag }} />
    </div>
  );
}

function LastChange({ of: event }: { readonly of: Event }) {
  return (
    <p class="muted">
      <Name>{event.createdBy}</Name> {eventVerb(event)} it {rolloutChange(event)},{' '}
      <Time at={event.createdAt} />
      {event.comment !== undefined && (
        <>
          : “<Isolated>{event.comment}</Isolated>”
        </>
      )}
    </p>
  );
}

type StrategyProps = { readonly of: FeatureStrategy; readonly children: ComponentChildren };

function Strategy({ of, children }: StrategyProps) {
  const { name, title, disabled, constraints, variants, segments } = of;
  const parameters = parametersText(of.parameters);
  return (
    <li>
      <Name>{title ?? name}</Name> {disabled && <span class="badge">disabled</span>}
      {parameters !== '' && (
        <p>
          <Isolated>{parameters}</Isolated>
        </p>
      )}
      {constraints.map((constraint) => (
        <p key={JSON.stringify(constraint)}>
          <Isolated>{constraintText(constraint)}</Isolated>
        </p>
      ))}
      {segments.length > 0 && <p>segments {segments.join(', ')}</p>}
      {variants.length > 0 && (
        <p>
          <Isolated>{variantsText(variants)}</Isolated>
        </p>
      )}
      {children}
    </li>
  );
}

import { useVerdicts } from '../../../api/flags/features.ts';
import type { Verdict } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { kindOf, worthDoing } from '../../../state/verdicts/verdict-kinds.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Section, Sentence, Isolated } from '../../../ui/parts.tsx';

const FIRST = 5;

/** The most valuable things to do, each with its reason. */
export function WorthDoing() {
  const { router } = useConsole();
  const verdicts = useVerdicts();
  return (
    <Section title="Worth doing" link={router.linkTo('clean-up')}>
      <Loaded of={verdicts} lines={10}>
        {(data) => {
          const found = worthDoing(data.verdicts).slice(0, FIRST);
          if (found.length === 0) return <Empty>Nothing needs you.</Empty>;
          return (
            <ol class="items">
              {found.map((item) => (
                <Thing
                  key={JSON.stringify([item.verdict, item.featureName, item.appName, item.environment])}
                  of={item}
                />
              ))}
            </ol>
          );
        }}
      </Loaded>
    </Section>
  );
}

function Thing({ of: { verdict, featureName, appName, environment, sentence } }: { readonly of: Verdict }) {
  const { router } = useConsole();
  const { action, tone } = kindOf(verdict);
  return (
    <li>
      <span class={tone}>{action}</span>{' '}
      {featureName === null ? (
        <Name>{appName ?? ''}</Name>
      ) : (
        <a data-row href={router.linkTo('features', featureName)}>
          <Name>{featureName}</Name>
        </a>
      )}
      {environment !== '' && (
        <span class="muted">
          {' '}
          in <Isolated>{environment}</Isolated>
        </span>
      )}
      <p>
        <Sentence>{sentence}</Sentence>
      </p>
    </li>
  );
}

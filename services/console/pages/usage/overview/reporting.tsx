import { useApplication, useApplications } from '../../../api/usage/applications.ts';
import { useMay } from '../../../api/caller.ts';
import { useVerdicts } from '../../../api/flags/features.ts';
import { useApiTokens } from '../../../api/tokens.ts';
import { useConsole } from '../../../console.ts';
import { formatAge } from '../../../state/format.ts';
import { sendersOf } from '../../../state/senders.ts';
import {
  applicationsWords,
  instancesWords,
  silentTokensWords,
  silentWords,
  tokensInUseSentence,
} from '../../../state/sentences/first-pages.ts';
import { silentIn } from '../../../state/verdicts/silent.ts';
import type { Application, Verdict } from '../../../types.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { useNow } from '../../../ui/now.ts';
import { Empty, Name, Section, Sentence } from '../../../ui/parts.tsx';

const FIRST = 5;

/** Which applications report; those with a silent instance come first. */
export function Reporting() {
  const { router } = useConsole();
  const may = useMay();
  const applications = useApplications({ sort: '-seenAt', most: FIRST });
  const verdicts = useVerdicts().data;
  const silent = verdicts === undefined ? new Map<string, Verdict>() : silentIn(verdicts);
  return (
    <Section title="Who reports" link={router.linkTo('applications')}>
      <Loaded of={applications} lines={10}>
        {({ items: all, total }) => {
          if (all.length === 0) return <Empty>No application has reported yet.</Empty>;
          const latest = all.filter(({ appName }) => !silent.has(appName));
          const names = [...silent.keys(), ...latest.map(({ appName }) => appName)].slice(0, FIRST);
          return (
            <>
              {may('MANAGE_TOKENS', 'anywhere') && <TokensInUse />}
              <p class="sum">
                {applicationsWords(total)}
                <span class="attention">{silentWords(verdicts)}</span>
              </p>
              <ul class="items">
                {names.map((appName) => (
                  <Reporter
                    key={appName}
                    appName={appName}
                    known={all.find((application) => application.appName === appName)}
                    silent={silent.get(appName)}
                  />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

type ReporterProps = {
  readonly appName: string;
  /** If it is one of those that are read already. */
  readonly known: Application | undefined;
  readonly silent: Verdict | undefined;
};

function Reporter({ appName, known, silent }: ReporterProps) {
  const { router } = useConsole();
  const now = useNow();
  const read = useApplication(known === undefined ? appName : undefined);
  const { totalInstances, seenAt } = known ?? read.data?.items[0] ?? {};
  return (
    <li>
      <a data-row href={router.linkTo('applications', appName)}>
        <Name>{appName}</Name>
      </a>
      {totalInstances !== undefined && seenAt !== undefined && (
        <p>
          {instancesWords(totalInstances)}, last seen{' '}
          <time class="number" dateTime={seenAt} title={seenAt}>
            {formatAge(Math.max(0, now - Date.parse(seenAt)))} ago
          </time>
        </p>
      )}
      {silent !== undefined && (
        <p class="attention">
          <Sentence>{silent.sentence}</Sentence>
        </p>
      )}
    </li>
  );
}

/** Relays and SDKs send with tokens. Nothing else says that a relay reports whose applications are all known. */
function TokensInUse() {
  const now = useNow();
  const { data } = useApiTokens();
  if (data === undefined) return <p class="sum">…</p>;
  const { reporting, silent } = sendersOf(data.tokens, now);
  const last = (reporting[0] ?? silent[0])?.seenAt ?? undefined;
  if (last === undefined) return <p class="sum">No token of a relay or SDK was used yet</p>;
  return (
    <p class="sum">
      {tokensInUseSentence(reporting.length, Math.max(0, now - Date.parse(last)))}
      <span class="attention">{silentTokensWords(silent.length)}</span>
    </p>
  );
}

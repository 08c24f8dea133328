import { useApplications } from '../../../api/usage/applications.ts';
import { useMay } from '../../../api/caller.ts';
import { useVerdicts } from '../../../api/flags/features.ts';
import { useApiTokens } from '../../../api/tokens.ts';
import { useConsole } from '../../../console.ts';
import { formatAge, formatPlural } from '../../../state/format.ts';
import { sendersOf } from '../../../state/senders.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { useNow } from '../../../ui/now.ts';
import { Empty, Name, Section } from '../../../ui/parts.tsx';

const FIRST = 5;

/** Which applications report; those with a silent instance come first. */
export function Reporting() {
  const { router } = useConsole();
  const may = useMay();
  const applications = useApplications();
  const verdicts = useVerdicts().data?.verdicts ?? [];
  const now = useNow();
  const silent = new Map(
    verdicts.filter(({ verdict }) => verdict === 'silent_instance').map((found) => [found.appName, found]),
  );
  return (
    <Section title="Who reports" link={router.linkTo('applications')}>
      <Loaded of={applications} lines={10}>
        {({ applications: all, total }) => {
          if (all.length === 0) return <Empty>No application has reported yet.</Empty>;
          const isSilent = (appName: string) => Number(silent.has(appName));
          const shown = [...all]
            .sort(
              (one, other) =>
                isSilent(other.appName) - isSilent(one.appName) || other.seenAt.localeCompare(one.seenAt),
            )
            .slice(0, FIRST);
          return (
            <>
              {may('MANAGE_TOKENS', 'anywhere') && <TokensInUse />}
              <p class="sum">
                {formatPlural(total, 'application')}
                {silent.size > 0 && <span class="attention">, {silent.size} with a silent instance</span>}
              </p>
              <ul class="items">
                {shown.map(({ appName, seenAt, totalInstances }) => (
                  <li key={appName}>
                    <a data-row href={router.linkTo('applications', appName)}>
                      <Name>{appName}</Name>
                    </a>
                    <p>
                      {formatPlural(totalInstances, 'instance')}, last seen{' '}
                      <time class="number" dateTime={seenAt} title={seenAt}>
                        {formatAge(Math.max(0, now - Date.parse(seenAt)))} ago
                      </time>
                    </p>
                    {silent.has(appName) && (
                      <p class="attention">
                        <bdi>{silent.get(appName)?.sentence}</bdi>
                      </p>
                    )}
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </Section>
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
      {formatPlural(reporting.length, 'token')} of relays and SDKs used in the last hour, the last one{' '}
      {formatAge(Math.max(0, now - Date.parse(last)))} ago
      {silent.length > 0 && <span class="attention">, {silent.length} silent</span>}
    </p>
  );
}

import { useApplication } from '../../../api/usage/applications.ts';
import { useCoverage } from '../../../api/usage/coverage.ts';
import { useVerdicts } from '../../../api/flags/features.ts';
import type { Application as Reported } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { isolate, list, say } from '#base/words';
import { Heading, WindowControl } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Section, Time, VerdictBadges } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Evaluated } from './evaluated.tsx';
import { applicationSentence, coverageSentence, instancesTitle } from '../../../state/sentences/index.ts';

type Instance = Reported['instances'][number];

/** Where one application runs, with which SDK, through which relays, since when it is silent, and what it evaluates. */
export function Application({ name }: { readonly name: string }) {
  const { router } = useConsole();
  const application = useApplication(name);
  const verdicts = useVerdicts({ application: name }).data?.verdicts ?? [];
  const found = application.data?.items[0];
  return (
    <>
      <Heading page={name} answer={found && applicationSentence(name, found.totalInstances)}>
        <a href={router.linkTo('applications')}>All applications</a>
        <WindowControl />
      </Heading>
      <Loaded of={application} lines={8}>
        {() =>
          found === undefined ? (
            <Empty>No application with this name has reported.</Empty>
          ) : (
            <>
              <ul class="facts">
                <li>
                  Last seen <Time at={found.seenAt} />
                </li>
                <li>
                  First seen <Time at={found.createdAt} />
                </li>
                {found.usage.map(({ project, environments }) => (
                  <li key={project}>
                    Project <Name>{project}</Name> in <Name>{list(environments)}</Name>
                  </li>
                ))}
                <CoverageFact of={name} />
                {verdicts.length > 0 && (
                  <li>
                    <VerdictBadges verdicts={verdicts} />
                  </li>
                )}
              </ul>
              <Section title={instancesTitle(found.instances.length, found.totalInstances)}>
                <Rows
                  caption="Instances"
                  columns={COLUMNS}
                  items={found.instances}
                  keyOf={({ instanceId, environment }) => JSON.stringify([instanceId, environment])}
                />
              </Section>
              <Evaluated appName={name} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** Nothing if no SDK of the application posts directly. */
function CoverageFact({ of: name }: { readonly of: string }) {
  const coverage = useCoverage(name).of(name);
  if (coverage === undefined) return null;
  const { covered, whole, instances } = coverage;
  return (
    <li title="In the rest nothing was evaluated, or a post was lost">
      {coverageSentence(covered, whole, instances)}
    </li>
  );
}

function platformOf({ platformName, platformVersion }: Instance): string {
  return (
    [platformName, platformVersion]
      .filter((part) => part !== null)
      .map(isolate)
      .join(' ') || 'unknown'
  );
}

/** The instance of a relay distinguishes the relays of one name. */
function relaysOf(connectVia: Instance['connectVia']): string {
  return connectVia.map(({ appName, instanceId }) => say`${appName} (${instanceId})`).join(', ') || 'none';
}

const COLUMNS: readonly Column<Instance>[] = [
  { id: 'instance', title: 'Instance', show: ({ instanceId }) => <Name>{instanceId}</Name> },
  {
    id: 'environment',
    title: 'Environment',
    width: '14%',
    show: ({ environment }) => <Name>{environment}</Name>,
  },
  { id: 'sdk', title: 'SDK', width: '22%', show: ({ sdkVersion }) => <Name>{sdkVersion ?? 'unknown'}</Name> },
  {
    id: 'platform',
    title: 'Platform',
    width: '14%',
    isWide: true,
    show: (instance) => <Name>{platformOf(instance)}</Name>,
  },
  {
    id: 'relays',
    title: 'Relays',
    width: '18%',
    isWide: true,
    show: ({ connectVia }) => <Name>{relaysOf(connectVia)}</Name>,
  },
  {
    id: 'seen',
    title: 'Last seen',
    width: '160px',
    isNumber: true,
    show: ({ lastSeen }) => <Time at={lastSeen} />,
  },
];

import type { ComponentChildren } from 'preact';
import { Access } from './people/access/access.tsx';
import { Accounting } from './usage/accounting.tsx';
import { Application } from './usage/applications/application.tsx';
import { Applications } from './usage/applications/applications.tsx';
import { Archived } from './flags/archived/archived.tsx';
import { ChangeRequests } from './flags/change-requests/change-requests.tsx';
import { ChangeRequest } from './flags/change-requests/change-request.tsx';
import { CleanUp } from './advice/clean-up/clean-up.tsx';
import { Events } from './record/events/events.tsx';
import { Feature } from './flags/feature/feature.tsx';
import { Feedback } from './flags/feedback.tsx';
import { ImpactMetrics } from './usage/impact-metrics/impact-metrics.tsx';
import { Notifications } from './advice/notifications/notifications.tsx';
import { Projects } from './flags/projects/projects.tsx';
import { Refused } from './usage/refused/refused.tsx';
import { Relays } from './usage/relays/relays.tsx';
import { Strategies } from './flags/strategies/strategies.tsx';
import { Tokens } from './people/tokens/tokens.tsx';
import { Users } from './people/users/users.tsx';
import { Heading } from '../ui/heading.tsx';

export { Palette } from './app/palette/palette.tsx';
export { NewFeatureDialog } from './flags/features/new-feature.tsx';

/** All pages that are never opened first. A separate script keeps the first page small. */
export function pageOf([page, name, id]: readonly string[]): ComponentChildren {
  if (page === 'features' && name !== undefined) return <Feature key={name} name={name} />;
  if (page === 'archived') return <Archived />;
  if (page === 'projects') return <Projects />;
  if (page === 'clean-up') return <CleanUp />;
  if (page === 'change-requests')
    return name === undefined || id === undefined ? (
      <ChangeRequests />
    ) : (
      <ChangeRequest key={`${name}/${id}`} project={name} id={id} />
    );
  if (page === 'events') return <Events />;
  if (page === 'applications')
    return name === undefined ? <Applications /> : <Application key={name} name={name} />;
  if (page === 'impact-metrics') return <ImpactMetrics />;
  if (page === 'relays') return <Relays />;
  if (page === 'strategies') return <Strategies />;
  if (page === 'feedback') return <Feedback />;
  if (page === 'notifications') return <Notifications />;
  if (page === 'tokens') return <Tokens />;
  if (page === 'access') return <Access />;
  if (page === 'users') return <Users />;
  if (page === 'refused') return <Refused />;
  if (page === 'accounting') return <Accounting />;
  return (
    <>
      <Heading page="There is no such page" answer={undefined} />
      <p>It was moved, or the address is not whole.</p>
      <p>
        <a href="#/">Overview</a>
      </p>
    </>
  );
}

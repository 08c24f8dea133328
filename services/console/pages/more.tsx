import type { ComponentChildren } from 'preact';
import { Access } from './access/access.tsx';
import { Accounting } from './accounting.tsx';
import { Application } from './applications/application.tsx';
import { Applications } from './applications/applications.tsx';
import { ChangeRequests } from './change-requests/change-requests.tsx';
import { ChangeRequest } from './change-requests/change-request.tsx';
import { CleanUp } from './clean-up/clean-up.tsx';
import { Events } from './events/events.tsx';
import { Feature } from './feature/feature.tsx';
import { Feedback } from './feedback.tsx';
import { ImpactMetrics } from './impact-metrics/impact-metrics.tsx';
import { Notifications } from './notifications/notifications.tsx';
import { Refused } from './refused/refused.tsx';
import { Relays } from './relays/relays.tsx';
import { Strategies } from './strategies/strategies.tsx';
import { Tokens } from './tokens/tokens.tsx';
import { Users } from './users/users.tsx';

/** All pages that are never opened first. A separate script keeps the first page small. */
export function pageOf([page, name, id]: readonly string[]): ComponentChildren {
  if (page === 'features' && name !== undefined) return <Feature key={name} name={name} />;
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
  return <h1>There is no such page</h1>;
}
